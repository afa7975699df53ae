// The rows of all route tables as requests that a test can send: paths with identifiers in them, and bodies of the
// row's own shape. A row needs a line here only when it brings a parameter or a permission of a new kind.

import type { Permission } from '../../src/gate/permit.ts';
import { NAMED_OPERATOR_ROUTES, OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { ROUTES, VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { NONCE_PATTERN } from '../../src/wire/operator.ts';

export interface Row {
  readonly title: string;
  readonly side: 'interface' | 'visitor' | 'operator';
  readonly method: string;
  readonly path: string;
  readonly permission: Permission | 'operator' | 'key' | 'open';
  readonly parameters: readonly string[];
  /** Without which the row is not reached. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body is bytes of any kind, which the operation reads itself. */
  readonly takesBytes: boolean;
  readonly body?: { readonly schema: object; readonly bytesMax: number };
}

/** What the tus protocol asks for, on all rows of announced uploads alike. */
const TUS = {
  'tus-resumable': '1.0.0',
  'upload-length': '3',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
  'x-http-method-override': 'PATCH',
};

type AnyRoute = Pick<(typeof ROUTES)[number], 'method' | 'path' | 'body' | 'takesBytes'> & Pick<Row, 'permission'>;

const rowOf =
  (side: Row['side']) =>
  ({ method, path, permission, body, takesBytes }: AnyRoute): Row => ({
    title: `${method} ${path}`,
    side,
    method,
    path,
    permission,
    parameters: [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? ''),
    headers: /\/uploads\b/.test(path) ? TUS : {},
    takesBytes: takesBytes === true,
    ...(body === undefined ? {} : { body: { schema: body.shape.schema, bytesMax: body.bytesMax } }),
  });

export const ROWS: readonly Row[] = [
  ...ROUTES.map(rowOf('interface')),
  ...VISITOR_ROUTES.map((row) => rowOf('visitor')({ ...row, permission: 'open' })),
  ...OPERATOR_ROUTES.map(rowOf('operator')),
];

/** The operator's rows for users whom the operator has named, who come with a session. */
export const NAMED_ROWS: readonly Row[] = NAMED_OPERATOR_ROUTES.map(rowOf('operator'));

/** Which flag of a user a permission asks for, and what its absence is answered with. */
export const PERMISSIONS = {
  api: { without: { apiAccess: false }, code: 'API_ACCESS_REQUIRED' },
  admin: { without: { admin: false }, code: 'ADMIN_REQUIRED' },
  management: { without: { managementApiAccess: false }, code: 'MANAGEMENT_API_ACCESS_REQUIRED' },
  organization: {
    without: { managementApiAccess: true, organizationManagementApiAccess: false },
    code: 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED',
  },
} as const satisfies Record<Exclude<Permission, 'self'>, { without: Record<string, boolean>; code: string }>;

/** Parameters that have no form of their own. */
const FREE_PARAMETERS: Readonly<Record<string, string>> = {
  name: 'Matrix',
  organization: 'Matrix',
  tokenId: '0123456789abcdef',
  version: '1',
  sessionId: '0123456789abcdef',
  deviceId: '0123456789abcdef',
};

/** Identifiers that fit their pattern and name nothing. */
const WELL_FORMED = Object.fromEntries(
  Object.entries(PATTERNS).map(([name, pattern]) => {
    const [, prefix = '', count = ''] = /^\^(\w)\[a-z0-9\]\{(\d+)\}\$$/.exec(pattern) ?? [];
    return [name, prefix + '0'.repeat(Number(count))];
  }),
);

/** Parameters that are called by what their identifier is for. */
const ROLES: Readonly<Record<string, string>> = { upsertKeyColumnId: 'columnId', signedInTo: 'applicationId' };
const identifierOf = (parameter: string): string => ROLES[parameter] ?? parameter;

export const isIdentifierParameter = (parameter: string): boolean => identifierOf(parameter) in PATTERNS;

/** `applicationId` → `INVALID_APPLICATION_ID`. */
export const malformedCode = (parameter: string): string =>
  `INVALID_${identifierOf(parameter)
    .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;

/** The row's path with `given` in it, and identifiers that name nothing where none is given. */
export function pathOf(row: Pick<Row, 'title' | 'path'>, given: Readonly<Record<string, string>> = {}): string {
  return row.path.replaceAll(/:(\w+)/g, (_whole, parameter: string) => {
    const value = given[parameter] ?? WELL_FORMED[identifierOf(parameter)] ?? FREE_PARAMETERS[parameter];
    if (value === undefined) {
      throw new Error(`${row.title} has the parameter ${parameter}, which test/support/route-rows.ts does not know`);
    }
    return value;
  });
}

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  boolean: false,
  number: 1,
  integer: 1,
  null: null,
  array: [],
};

function example(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return example(schema.anyOf[0]);
  if (schema.pattern !== undefined) {
    const name = Object.entries(PATTERNS).find(([, pattern]) => pattern === schema.pattern)?.[0];
    if (schema.pattern === NONCE_PATTERN) return 'n'.repeat(43);
    if (name === undefined) throw new Error(`test/support/route-rows.ts knows no text that fits ${schema.pattern}`);
    return WELL_FORMED[name];
  }
  if (schema.type === undefined || schema.type === 'object') {
    const members = schema.required ?? [];
    return Object.fromEntries(members.map((member) => [member, example(schema.properties?.[member] ?? {})]));
  }
  if (!(schema.type in EXAMPLES)) throw new Error(`test/support/route-rows.ts knows no example of ${schema.type}`);
  return EXAMPLES[schema.type];
}

/** JSON of the row's shape, as small as the shape allows. */
export const bodyOf = (row: Row): string => JSON.stringify(example(row.body?.schema as Schema));
