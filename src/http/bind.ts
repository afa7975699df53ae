// From a row of the table to an answer: the road that every request takes, in order, in one place.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context, OperatorContext } from '../context.ts';
import type { Authenticator } from '../gate/authenticate.ts';
import type { OperatorGate } from '../gate/operator.ts';
import { permit } from '../gate/permit.ts';
import type { Observe } from '../observe.ts';
import { recheckRefusal, withCurrentDefinition } from '../operations/current-definition.ts';
import type { Answer } from './answer.ts';
import { readJsonBody } from './body.ts';
import { checkIdentifiers } from './identifiers.ts';
import type { OperatorRoute } from './operator-routes.ts';
import { toProblem } from './problem.ts';
import type { BodyRule, Input, Route } from './routes.ts';

export interface Services extends Omit<OperatorContext, 'source'> {
  readonly authenticator: Authenticator;
  readonly operatorGate: OperatorGate;
  readonly known: Context['known'];
}

export function bindRoute(services: Services, row: Route) {
  return handle(services.observe, row.path, async (request) => {
    const params = request.params as Record<string, string>;
    const authorization = request.headers.authorization;
    checkIdentifiers(params);
    let input: Input<unknown> | undefined;
    const travel = async () => {
      const who = await services.authenticator.authenticate(params.applicationId ?? '', authorization, request.ip);
      permit(who.caller, row.permission);
      input ??= await readInput(request, params, row.body);
      const { ids, now, known } = services;
      const store = services.database.application(who.application.id);
      const source = { context: 'api' as const, ip: request.ip };
      const context = { ...who, store, source, ids, now, known };
      try {
        return await row.run(context, input, services);
      } catch (error) {
        throw await recheckRefusal(error, context);
      }
    };
    return withCurrentDefinition(travel, () => services.hear({ application: params.applicationId ?? '' }));
  });
}

export function bindOperatorRoute(services: Services, row: OperatorRoute) {
  return handle(services.observe, row.path, async (request) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    if (row.permission === 'operator') services.operatorGate.authenticate(request.headers.authorization, request.ip);
    const input = await readInput(request, params, row.body);
    return row.run({ ...services, source: { context: 'operator', ip: request.ip } }, input);
  });
}

async function readInput(
  request: FastifyRequest,
  params: Record<string, string>,
  rule: BodyRule<unknown> | undefined,
): Promise<Input<unknown>> {
  const body = rule === undefined ? undefined : rule.shape.read(await readJsonBody(request.raw, rule.bytesMax));
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return { params, query: readQuery(request.url), header, body };
}

/** A parameter that is given twice counts as first given. */
function readQuery(url: string): Record<string, string | undefined> {
  const start = url.indexOf('?');
  const query: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  if (start === -1) return query;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) query[name] ??= value;
  return query;
}

function handle(observe: Observe, route: string, work: (request: FastifyRequest) => Promise<Answer> | Answer) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return send(reply, await work(request));
    } catch (error) {
      return sendProblem(observe, route, request, reply, error);
    }
  };
}

function send(reply: FastifyReply, { status, headers, body }: Answer) {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

export function sendProblem(
  observe: Observe,
  route: string,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
) {
  const { status, headers, body, fault } = toProblem(error);
  const place = { requestId: request.id, method: request.method, route };
  if (fault.code === 'INTERNAL_ERROR') observe({ event: 'request.failed', ...place, error });
  else if (status >= 500) observe({ event: 'request.refused', ...place, code: fault.code, cause: fault.cause });
  return reply.code(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(body);
}
