// The only place where an error becomes a reply. Faults describe what the caller can act on. Any other error is a failure of
// the server: it is logged, and the reply is INTERNAL_ERROR without stack, SQL or path.

import { FAULTS, Fault, fault, RawJson } from '../../faults.ts';
import { arrayOf, type Body } from './reply.ts';

export interface ProblemReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The error itself if it was a fault, else INTERNAL_ERROR. */
  readonly fault: Fault;
}

export function toProblem(error: unknown): ProblemReply {
  const known = error instanceof Fault ? error : fault('INTERNAL_ERROR');
  return { status: FAULTS[known.code].status, headers: known.headers, body: problemBody(known), fault: known };
}

function problemBody({ code, params, batch }: Fault): Body {
  if (params === undefined && batch === undefined) return `{"code":"${code}"}`;
  const members = Object.entries({ ...params, ...(batch && { recordIndex: batch.recordIndex, ...batch.applied }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [`${JSON.stringify(name)}:`, memberText(value)] as const);
  const begin = `{"code":"${code}","params":{`;
  const end = '}}';
  if (members.every(([, text]) => typeof text === 'string')) {
    return `${begin}${members.map(([name, text]) => name + text).join(',')}${end}`;
  }
  const parts = members.flatMap(([name, text], index) => [index === 0 ? name : `,${name}`, text].flat());
  return [begin, ...parts, end];
}

function memberText(value: unknown): Body {
  if (!Array.isArray(value) || !value.every((element) => element instanceof RawJson)) return JSON.stringify(value);
  return arrayOf(value.map((element: RawJson) => element.text));
}
