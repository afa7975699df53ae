// What every reply of the interface must look like, checked on each that a test receives: a refusal has a known code
// with that code's status, and a success the shape of src/wire for its route, without a member that the shape lacks.

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FAULTS } from '../../src/faults.ts';
import { Application } from '../../src/wire/applications.ts';
import { AttachmentMetadata } from '../../src/wire/attachments.ts';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { ManagementSharedUser, ManagementUser } from '../../src/wire/users.ts';

export interface CheckedReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

const listOf = (items: object) => ({ type: 'array', items });
const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Routes whose successes have a shape. A route that is not here is checked for its refusals alone. */
const SHAPES: readonly (readonly [string, string, object])[] = [
  ['GET', '/v1/:applicationId', Application],
  ['POST', '/v1/:applicationId/collections/:collectionId/attachments', AttachmentMetadata],
  ['GET', '/v1/:applicationId/management/users', listOf(ManagementUser)],
  ['POST', '/v1/:applicationId/management/users', ManagementUser],
  ['GET', '/v1/:applicationId/management/users/:userId', ManagementUser],
  ['PUT', '/v1/:applicationId/management/users/:userId', ManagementUser],
  ['GET', '/v1/:applicationId/management/sharedUsers', listOf(ManagementSharedUser)],
  ['POST', '/v1/:applicationId/management/sharedUsers', ManagementSharedUser],
  ['GET', '/v1/:applicationId/management/sharedUsers/:sharedUserId', ManagementSharedUser],
  ['PUT', '/v1/:applicationId/management/sharedUsers/:sharedUserId', ManagementSharedUser],
  ['POST', '/operator/v1/applications', object({ application: Application, changes: listOf({ type: 'object' }) })],
  ['POST', '/operator/v1/applications/:applicationId/users', ManagementUser],
];

/** The shape with every object closed to members that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in schema ? { ...copy, additionalProperties: false } : copy;
}

const pathPattern = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(/:(\w+)/g, (_, name: string) => (name in PATTERNS ? PATTERNS[name as keyof typeof PATTERNS].slice(1, -1) : '[^/]+'))}$`,
  );

const ajv = new Ajv2020({ strict: false });
const ROUTES = SHAPES.map(([method, path, shape]) => ({
  method,
  path: pathPattern(path),
  validate: ajv.compile(closed(shape) as object),
}));

/** Throws when the reply is none that the interface gives. Addresses outside of it are not looked at. */
export function checkReply(method: string, path: string, { status, contentType, text }: CheckedReply): void {
  const bare = path.split('?')[0] ?? '';
  if (!/^\/(?:operator\/)?v1(?:\/|$)/.test(bare) || method === 'HEAD') return;
  const where = `${method} ${bare} replied ${status} ${text.slice(0, 2_000)}`;
  if (status === 204 || status === 304) assert.equal(text, '', where);
  if (!contentType?.startsWith('application/json') || text === '') return;
  if (status >= 400) {
    checkProblem(JSON.parse(text), status, where);
    return;
  }
  const route = ROUTES.find((one) => one.method === method && one.path.test(bare));
  if (status !== 200 || route === undefined) return;
  assert.ok(route.validate(JSON.parse(text)), `${where}\n${ajv.errorsText(route.validate.errors)}`);
}

function checkProblem(body: Record<string, unknown>, status: number, where: string): void {
  const { code, params, ...others } = body;
  assert.ok(typeof code === 'string' && code in FAULTS, `${where}: an unknown code`);
  assert.equal(FAULTS[code as keyof typeof FAULTS].status, status, where);
  assert.deepEqual(others, {}, where);
  assert.ok(params === undefined || (typeof params === 'object' && params !== null), where);
}
