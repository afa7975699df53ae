// The operations that inputs are made for: those of the application's own OpenAPI document, and the rows of the route
// tables that no such document has.

import { NAMED_OPERATOR_ROUTES, OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { publishDocumentSchema } from '../../src/wire/publish-document.ts';
import type { OpenApi, Role } from './scene.ts';
import type { Schema } from './shapes.ts';

export interface Operation {
  readonly title: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** Who may do it, as far as a role decides. */
  readonly roles: readonly Role[];
  readonly query: Readonly<Record<string, Schema>>;
  readonly headers: Readonly<Record<string, Schema>>;
  /** Absent: no JSON. */
  readonly body?: Schema;
  readonly takesBytes: boolean;
  /** How often, compared with others: a backup takes longer than a thousand other requests. */
  readonly weight: number;
}

const USERS: readonly Role[] = ['admin', 'user', 'session'];
const WEIGHTS: Readonly<Record<string, number>> = {
  'GET /operator/v1/backup': 0.02,
  'POST /operator/v1/doctor': 0.02,
  'GET /v1/{signedInTo}/operator/backup': 0.02,
  'POST /v1/{signedInTo}/operator/doctor': 0.02,
};
const BYTES_TYPES = ['*/*', 'multipart/form-data', 'application/offset+octet-stream'];

function described({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const title = `${method.toUpperCase()} /v1${path.replace(/^\/p[a-z0-9]{26}/, '/{applicationId}')}`;
      const schemasIn = (where: string) =>
        Object.fromEntries(
          parameters.filter((parameter) => parameter.in === where).map(({ name, schema }) => [name, schema]),
        );
      const content = requestBody?.content ?? {};
      const body = content['application/json']?.schema;
      return {
        ...{ title, method: method.toUpperCase(), path: `/v1${path}`, weight: WEIGHTS[title] ?? 1 },
        roles: path.includes('/management/') ? (['admin'] as const) : USERS,
        ...{ query: schemasIn('query'), headers: schemasIn('header') },
        ...(body === undefined ? {} : { body }),
        takesBytes: BYTES_TYPES.some((type) => type in content),
      };
    }),
  );
}

interface TableRow {
  readonly method: string;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, { readonly schema: object }>>;
  readonly body?: { readonly shape: { readonly schema: object } };
}

const schemasOf = (parameters: TableRow['parameters'] = {}): Record<string, Schema> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema as Schema]));

function ofTable(roles: readonly Role[]): (row: TableRow) => Operation {
  return ({ method, path, parameters, headers, body }) => {
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    const title = `${method} ${template}`;
    const publishes = method === 'POST' && path.endsWith('/applications');
    const schema = publishes ? publishDocumentSchema : body?.shape.schema;
    return {
      ...{ title, method, path: template, roles, weight: WEIGHTS[title] ?? 1 },
      ...{ query: schemasOf(parameters), headers: schemasOf(headers) },
      ...(schema === undefined ? {} : { body: schema as Schema }),
      takesBytes: template.endsWith('/restore'),
    };
  };
}

/** What is served beside the interface. */
const PAGES = [
  '/',
  '/console',
  '/console/{applicationId}',
  '/docs',
  '/healthz',
  '/readyz',
  '/favicon.ico',
  '/v1/openapi.json',
];

export function operationsOf(document: OpenApi): Operation[] {
  const own = described(document);
  const browsers = VISITOR_ROUTES.filter(({ path }) => /singleSignOn|signOn/.test(path));
  return [
    ...own,
    ...browsers.map(ofTable(['nobody'])),
    ...OPERATOR_ROUTES.map(ofTable(['operator'])),
    ...NAMED_OPERATOR_ROUTES.map(ofTable(['named'])),
    ...PAGES.map((path) => ofTable(['nobody'])({ method: 'GET', path })),
  ];
}
