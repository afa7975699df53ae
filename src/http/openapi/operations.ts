// An operation of the OpenAPI document, made from the row of its route.

import { PATTERNS } from '../../wire/identifiers.ts';
import type { Success } from '../replies/success.ts';
import type { Parameters } from '../requests/query.ts';
import { type Naming, refer, written } from './components.ts';

/** What the document tells of a route (http/routes/row). */
export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly sentence: string;
  /** Visitors have no credentials. */
  readonly caller: 'user' | 'visitor';
  readonly group?: string;
  readonly parameters?: Parameters;
  readonly headers?: Parameters;
  readonly body?: { readonly shape: { readonly schema: object } };
  readonly takesBytes?: true;
  readonly success: readonly Success[];
}

const JSON_TYPE = 'application/json';

/** Status → the name of a shared response (`RESPONSES`). */
const REFUSALS: Readonly<Record<string, string>> = {
  400: 'Invalid',
  401: 'NotAuthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
};

const problem = (description: string, headers: object = {}) => ({
  description,
  ...(Object.keys(headers).length === 0 ? {} : { headers }),
  content: { [JSON_TYPE]: { schema: refer('Problem') } },
});

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } },
};

/** What every operation may refuse a request with. */
export const RESPONSES = {
  Invalid: problem('A parameter or the body is invalid; nothing was changed, or what `params` lists.'),
  NotAuthenticated: problem('The credentials are missing or wrong.'),
  Forbidden: problem('The caller may not do this, or the plan does not include it.'),
  NotFound: problem('What the path names does not exist, or the caller may not see it.'),
  TooManyRequests: problem('A limit of requests is reached.', RETRY_AFTER),
  ServerError: problem('A mistake of the server.'),
  Unavailable: problem('The server cannot do it now.', RETRY_AFTER),
};

/** Statuses that only some operations have, by their reason. */
function furtherRefusals({ headers = {}, path, method }: DescribedRoute): Record<string, string> {
  return {
    ...(path.includes('/management/users/') && method === 'DELETE' ? { 405: 'Not in shared-users mode.' } : {}),
    ...('If-Match' in headers ? { 412: 'The record is another by now.' } : {}),
    ...('Range' in headers ? { 416: 'The file has no such part.' } : {}),
    ...('Tus-Resumable' in headers
      ? { 409: 'The bytes do not follow those that are there.', 412: 'Not this version of tus.', 423: 'Being written.' }
      : {}),
    ...('Idempotency-Key' in headers
      ? { 409: 'The request with this key is under way.', 422: 'The key was used for another request.' }
      : {}),
  };
}

/** Where an operation stands in a document. */
export interface Place {
  readonly tag: string;
  /** Of the operation's name, where a document has it several times. */
  readonly suffix?: string;
  /** The parameters of the path that the document has values for. */
  readonly fixed?: readonly string[];
  readonly nameOf?: Naming;
}

/** An operation object. */
export function operationOf(row: DescribedRoute, { tag, suffix = '', fixed = [], nameOf }: Place): object {
  const { method, operation, sentence, caller, group } = row;
  const parameters = parametersOf(row, fixed);
  return {
    operationId: operation + suffix,
    tags: [tag],
    summary: sentence,
    ...(group === undefined ? {} : { description: `Counts against the quota of \`${group}\`.` }),
    ...(caller === 'visitor' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === 'GET' ? {} : bodyOf(row, nameOf)),
    responses: responsesOf(row, nameOf),
  };
}

function parametersOf({ path, parameters = {}, headers = {} }: DescribedRoute, fixed: readonly string[]): object[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '').filter((name) => !fixed.includes(name));
  return [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: pathSchema(name) })),
    ...listed(parameters, 'query'),
    ...listed(headers, 'header'),
  ];
}

function pathSchema(name: string): object {
  const pattern = name === 'upsertKeyColumnId' ? PATTERNS.columnId : PATTERNS[name as keyof typeof PATTERNS];
  return { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
}

const listed = (parameters: Parameters, place: 'query' | 'header'): object[] =>
  Object.entries(parameters).map(([name, { schema, sentence, required }]) => ({
    name,
    in: place,
    description: sentence,
    ...(required === true ? { required } : {}),
    schema,
  }));

function bodyOf(row: DescribedRoute, nameOf: Naming | undefined): object {
  const { body } = row;
  if (body !== undefined) {
    return {
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: written(body.shape.schema, nameOf) } } },
    };
  }
  if (row.takesBytes !== true) return {};
  const content = 'Tus-Resumable' in (row.headers ?? {}) ? { 'application/offset+octet-stream': ANYTHING } : FILE;
  return { requestBody: { content } };
}

const ANYTHING = { schema: {} };

/** Bytes of any type, or a form with the one file. */
const FILE = {
  '*/*': ANYTHING,
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
    },
  },
};

function responsesOf(row: DescribedRoute, nameOf: Naming | undefined): object {
  const further = Object.entries(furtherRefusals(row)).map(([status, sentence]) => [status, problem(sentence)]);
  const refusals = Object.entries(REFUSALS).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  const successes = row.success.map((success) => [success.status, responseOf(success, nameOf)]);
  return Object.fromEntries([...successes, ...refusals, ...further]);
}

function responseOf({ body, sentence, headers = {} }: Success, nameOf: Naming | undefined): object {
  const names = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const described = {
    description: sentence,
    ...(names.length === 0 ? {} : { headers: Object.fromEntries(names) }),
  };
  if (body === undefined) return described;
  if (typeof body === 'string') return { ...described, content: { '*/*': { schema: {} } } };
  const [type, shape] = 'json' in body ? [JSON_TYPE, body.json] : ['application/x-ndjson', body.lines];
  return { ...described, content: { [type]: { schema: written(shape, nameOf) } } };
}
