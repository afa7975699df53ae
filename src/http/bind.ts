// From a row of the table to an answer: the road that every request takes, in order, in one place.

import type { FastifyRequest } from 'fastify';
import type { Context, OperatorContext, VisitorContext } from '../context.ts';
import type { PreparedApplication } from '../domain/application.ts';
import { fault } from '../faults.ts';
import type { Authenticator } from '../gate/authenticate.ts';
import type { OperatorGate } from '../gate/operator.ts';
import { permit } from '../gate/permit.ts';
import { recheckRefusal, staleAsBusy, withCurrentDefinition } from '../operations/current-definition.ts';
import type { Answer } from './answer.ts';
import { readFile, readJsonBody } from './body.ts';
import { checkIdentifiers } from './identifiers.ts';
import type { OperatorRoute } from './operator-routes.ts';
import type { BodyRule, Input, Route } from './route.ts';
import { answering } from './send.ts';
import type { UnderWay } from './under-way.ts';
import type { VisitorRoute } from './visitor-routes.ts';

export interface Services extends Omit<OperatorContext, 'source'> {
  readonly authenticator: Authenticator;
  readonly operatorGate: OperatorGate;
  readonly known: Context['known'];
  readonly searchIndexes: Context['searchIndexes'];
  readonly attachments: Context['attachments'];
  readonly people: Context['people'];
  readonly throttle: VisitorContext['throttle'];
  readonly definitions: { get(applicationId: string): Promise<PreparedApplication | undefined> };
  readonly closing: () => boolean;
  readonly underWay: UnderWay;
  readonly publicUrlSet: boolean;
}

export function bindRoute(services: Services, row: Route) {
  return answering(services, row.path, async (request) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    const { authenticator, database, ids, now, known, searchIndexes, attachments, people } = services;
    const { authorization } = request.headers;
    const { applicationId = '' } = params;
    const address = request.ip;
    let input: Input<unknown> | undefined;
    const travel = async () => {
      const who =
        authenticator.recognize(applicationId, authorization, address) ??
        (await authenticator.authenticate(applicationId, authorization, address));
      permit(who.caller, row.permission);
      refuseBrokenEncoding(request.url, row.parameters ?? []);
      input ??= await readInput(services, request, { params, rule: row.body });
      const { application, caller } = who;
      const source = { context: 'api' as const, ip: address };
      const store = database.application(applicationId);
      const means = { ids, now, known, searchIndexes, attachments, people };
      const context = { application, caller, source, store, sessionId: undefined, ...means };
      try {
        return behindTheRoad(await row.run(context, input, services));
      } catch (error) {
        throw await recheckRefusal(error, context);
      }
    };
    return withCurrentDefinition(travel, () => services.hear({ application: applicationId }));
  });
}

/** The application is the one of the path; a row without it finds it by itself (single sign-on). */
export function bindVisitorRoute(services: Services, row: VisitorRoute) {
  return answering(services, row.path, async (request) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    refuseBrokenEncoding(request.url, row.parameters ?? []);
    const { database, definitions, people, throttle, ids, now, observe } = services;
    const { applicationId = '' } = params;
    const input = await readInput(services, request, { params, rule: row.body });
    const source = { context: 'console' as const, ip: request.ip };
    const store = database.application(applicationId);
    const travel = async () => {
      const application = await definitions.get(applicationId);
      const context = { applicationId, application, source, store, people, throttle, ids, now, observe };
      return row.run(context, input);
    };
    return withCurrentDefinition(travel, () => services.hear({ application: applicationId }));
  });
}

export function bindOperatorRoute(services: Services, row: OperatorRoute) {
  return answering(services, row.path, async (request) => {
    const params = request.params as Record<string, string>;
    checkIdentifiers(params);
    if (row.permission === 'operator') services.operatorGate.authenticate(request.headers.authorization, request.ip);
    const input = await readInput(services, request, { params, rule: row.body });
    const context = { ...services, source: { context: 'operator' as const, ip: request.ip } };
    const forget = () => services.hear({ application: params.applicationId ?? '' });
    return withCurrentDefinition(async () => row.run(context, input), forget);
  });
}

/** Bytes are opened when the headers are about to go out, too late to start over: who meets a new definition then comes again. */
function behindTheRoad(answer: Answer): Answer {
  const { stream } = answer;
  if (stream === undefined) return answer;
  return { ...answer, stream: () => stream().catch((error: unknown) => Promise.reject(staleAsBusy(error))) };
}

async function readInput(
  { publicUrl, publicUrlSet }: Services,
  request: FastifyRequest,
  { params, rule }: { params: Record<string, string>; rule: BodyRule<unknown> | undefined },
): Promise<Input<unknown>> {
  const body = rule === undefined ? undefined : rule.shape.read(await readJsonBody(request.raw, rule.bytesMax));
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // As the client addressed us, unless the operator says how clients do.
  const address = () => {
    const origin = publicUrlSet || request.host === '' ? publicUrl() : `${request.protocol}://${request.host}`;
    return origin + request.url.split('?', 1)[0];
  };
  const bytes = (bytesMax: number) => readFile(request.raw, bytesMax);
  const isHead = request.method === 'HEAD';
  return { params, query: readQuery(request.url), header, isHead, address, body, bytes };
}

/** A parameter that is given twice counts as first given. */
function readQuery(url: string): Record<string, string | undefined> {
  const start = url.indexOf('?');
  const query: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  if (start === -1) return query;
  const text = url.slice(start + 1);
  for (const [name, value] of new URLSearchParams(text)) query[name] ??= value;
  return query;
}

/**
 * URLSearchParams puts U+FFFD for what it cannot decode: another search than was meant would be run. What nobody reads
 * harms nobody.
 */
function refuseBrokenEncoding(url: string, parameters: readonly string[]): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  for (const part of url.slice(start + 1).split('&')) {
    const [name = ''] = part.split('=', 1);
    if (!parameters.includes(name)) continue;
    try {
      decodeURIComponent(part);
    } catch {
      throw fault('INVALID_PARAMETER', { parameter: name, reason: 'is not percent-encoded UTF-8' });
    }
  }
}
