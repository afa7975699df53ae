// Runs the operation of a request with an Idempotency-Key, or sends the reply that it got before
// (operations/keyed-requests). A refusal is kept like any other reply.

import type { Context, KeyedRequest } from '../context.ts';
import { Fault, type FaultCode } from '../faults.ts';
import { recheckRefusal } from '../operations/current-definition.ts';
import { AlreadyDone, isKept, keepRefusal, readKeptReply } from '../operations/keyed-requests.ts';
import { toProblem } from './replies/problem.ts';
import type { Reply } from './replies/reply.ts';
import { fingerprintOf } from './requests/idempotency-key.ts';
import type { Input } from './requests/input.ts';
import type { UserRoute } from './routes/row.ts';

interface Keyed {
  readonly key: string;
  readonly row: UserRoute;
  readonly context: Context;
  readonly input: Input<unknown>;
  readonly server: { readonly publicUrl: () => string };
}

export async function runKeyed({ key, row, context, input, server }: Keyed): Promise<Reply> {
  const keyed: KeyedRequest = {
    key,
    fingerprint: fingerprintOf(row, input),
    content: input.bodyHash,
    problemOf: toProblem,
    kept: false,
  };
  try {
    if (input.bodyFault !== undefined) throw input.bodyFault;
    return await row.run({ ...context, keyed }, input, server);
  } catch (error) {
    if (error instanceof AlreadyDone) return replay(context, keyed, error);
    // It was kept with what had been done by then.
    if (keyed.kept || !(error instanceof Fault) || !mayBeKept(error, row)) throw error;
    const refusal = await recheckRefusal(error, context, context.scope);
    if (refusal !== error) throw refusal;
    return keepAndThrow(context, keyed, error);
  }
}

/** Of a file that could not be read to its end it is not known whether a repetition sends the same. */
const mayBeKept = (error: Fault, { takesBytes }: UserRoute): boolean =>
  isKept(error) && !(takesBytes === true && error.code === 'INVALID_BODY');

async function keepAndThrow(context: Context, keyed: KeyedRequest, refusal: Fault): Promise<Reply> {
  try {
    await keepRefusal(context, keyed, refusal);
  } catch (error) {
    if (error instanceof AlreadyDone) return replay(context, keyed, error);
    if (error instanceof Fault) error.headers = { ...refusal.headers, ...error.headers };
    throw error;
  }
  throw refusal;
}

async function replay(context: Context, keyed: KeyedRequest, { found }: AlreadyDone): Promise<Reply> {
  const { status, headers, body } = await readKeptReply(context, keyed, found);
  if (status >= 400) context.scope.problem = problemIn(body ?? '');
  const replayed = { ...(JSON.parse(headers) as Reply['headers']), 'idempotency-replayed': 'true' };
  return { status, headers: replayed, ...(body === null ? {} : { body }) };
}

/** For the log. The code begins the body of every problem (http/replies/problem). */
function problemIn(body: string): Fault | undefined {
  const code = /^\{"code":"([A-Z_]+)"/.exec(body)?.[1];
  return code === undefined ? undefined : new Fault(code as FaultCode, {});
}
