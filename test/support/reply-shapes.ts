// What every reply of the interface must look like, checked on each that a test receives: a refusal has a known code
// with that code's status, and a success the shape of src/wire for its route, without a member that the shape lacks.

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FAULTS } from '../../src/faults.ts';
import { ActivityEntry } from '../../src/wire/activity-log.ts';
import { Application } from '../../src/wire/applications.ts';
import { AttachmentMetadata } from '../../src/wire/attachments.ts';
import { DoctorLine } from '../../src/wire/doctor.ts';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import { DeviceView, PushKey } from '../../src/wire/notifications.ts';
import {
  ApplicationSummary,
  OperatorProof,
  OrganizationView,
  PublishingState,
  PublishReply,
} from '../../src/wire/operator.ts';
import { Definition } from '../../src/wire/publish-document.ts';
import { QuotasOverview, QuotasView } from '../../src/wire/quotas.ts';
import { DeletedCount, OutgoingRecord } from '../../src/wire/records.ts';
import { SessionView, SignInMethods } from '../../src/wire/sessions.ts';
import { CreatedToken, OwnedTokenView, TokenView } from '../../src/wire/tokens.ts';
import { ManagementSharedUser, ManagementUser, UserShort } from '../../src/wire/users.ts';

export interface CheckedReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** What a success of a route has for a body: JSON of a shape, lines of JSON, bytes of any kind, or nothing at all. */
type Success = { readonly json: object } | { readonly line: object } | 'bytes' | 'nothing';

const json = (shape: object): Success => ({ json: shape });
const list = (items: object): Success => ({ json: { type: 'array', items } });
const oneOrMany = (shape: object): Success => ({ json: { anyOf: [shape, { type: 'array', items: shape }] } });

const COLLECTION = '/v1/:applicationId/collections/:collectionId';
const RECORDS = `${COLLECTION}/records`;
const UPLOADS = `${COLLECTION}/uploads`;
const USER = '/v1/:applicationId/users/:userId';
const SESSION = '/v1/:applicationId/session';
const MANAGEMENT = '/v1/:applicationId/management';
const APPLICATION = '/operator/v1/applications/:applicationId';
const ORGANIZATION = '/operator/v1/organizations/:name';

/** A row for each route, which test/http/reply-shapes.test.ts compares with the tables of routes. */
export const SUCCESSES: Readonly<Record<string, Success>> = {
  'GET /v1/:applicationId': json(Application),
  [`GET ${RECORDS}`]: list(OutgoingRecord),
  [`POST ${RECORDS}`]: oneOrMany(OutgoingRecord),
  [`PUT ${RECORDS}`]: list(OutgoingRecord),
  [`DELETE ${RECORDS}`]: json(DeletedCount),
  [`PATCH ${RECORDS}/upsert/:upsertKeyColumnId`]: oneOrMany(OutgoingRecord),
  [`GET ${RECORDS}/:recordId`]: json(OutgoingRecord),
  [`PUT ${RECORDS}/:recordId`]: json(OutgoingRecord),
  [`DELETE ${RECORDS}/:recordId`]: 'nothing',
  [`POST ${COLLECTION}/attachments`]: json(AttachmentMetadata),
  [`GET ${COLLECTION}/attachments/:attachmentId`]: 'bytes',
  [`OPTIONS ${UPLOADS}`]: 'nothing',
  [`POST ${UPLOADS}`]: json(AttachmentMetadata),
  [`HEAD ${UPLOADS}/:attachmentId`]: 'nothing',
  [`PATCH ${UPLOADS}/:attachmentId`]: 'nothing',
  [`DELETE ${UPLOADS}/:attachmentId`]: 'nothing',
  [`POST ${UPLOADS}/:attachmentId`]: 'nothing',
  [`POST ${USER}/notifications`]: 'nothing',
  [`GET ${USER}/devices`]: list(DeviceView),
  [`POST ${USER}/devices`]: json(DeviceView),
  [`DELETE ${USER}/devices/:deviceId`]: 'nothing',
  'GET /v1/:applicationId/pushKey': json(PushKey),
  [`GET ${SESSION}`]: json(SessionView),
  [`POST ${SESSION}`]: json(SessionView),
  [`DELETE ${SESSION}`]: 'nothing',
  [`PUT ${SESSION}/password`]: 'nothing',
  [`GET ${SESSION}/methods`]: json(SignInMethods),
  [`POST ${SESSION}/passwordReset`]: 'nothing',
  [`PUT ${SESSION}/passwordReset`]: 'nothing',
  // A browser is sent on, or shown a page.
  [`GET ${SESSION}/singleSignOn`]: 'bytes',
  'GET /signOn/callback/:organization': 'bytes',
  [`GET ${USER}/tokens`]: list(TokenView),
  [`POST ${USER}/tokens`]: json(CreatedToken),
  [`DELETE ${USER}/tokens/:tokenId`]: 'nothing',
  'GET /v1/:applicationId/users': list(UserShort),
  [`GET ${MANAGEMENT}/users`]: list(ManagementUser),
  [`POST ${MANAGEMENT}/users`]: json(ManagementUser),
  [`GET ${MANAGEMENT}/users/:userId`]: json(ManagementUser),
  [`PUT ${MANAGEMENT}/users/:userId`]: json(ManagementUser),
  [`DELETE ${MANAGEMENT}/users/:userId`]: 'nothing',
  [`GET ${MANAGEMENT}/sharedUsers`]: list(ManagementSharedUser),
  [`POST ${MANAGEMENT}/sharedUsers`]: json(ManagementSharedUser),
  [`GET ${MANAGEMENT}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`PUT ${MANAGEMENT}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`DELETE ${MANAGEMENT}/sharedUsers/:sharedUserId`]: 'nothing',
  [`GET ${MANAGEMENT}/userActivityLogs`]: { line: ActivityEntry },
  'GET /operator/v1/publish-document.schema.json': json({ type: 'object', required: ['$schema', '$id', 'title'] }),
  'POST /operator/v1/proof': json(OperatorProof),
  'POST /operator/v1/applications': json(PublishReply),
  'GET /operator/v1/applications': list(ApplicationSummary),
  [`GET ${APPLICATION}`]: json(Definition),
  [`GET ${APPLICATION}/publishing`]: json(PublishingState),
  [`DELETE ${APPLICATION}`]: 'nothing',
  'GET /operator/v1/quotas': json(QuotasOverview),
  [`GET ${APPLICATION}/quotas`]: json(QuotasView),
  [`PUT ${APPLICATION}/quotas`]: json(QuotasView),
  [`GET ${APPLICATION}/users`]: list(ManagementUser),
  [`POST ${APPLICATION}/users`]: json(ManagementUser),
  [`GET ${APPLICATION}/users/:userId`]: json(ManagementUser),
  [`PUT ${APPLICATION}/users/:userId`]: json(ManagementUser),
  [`DELETE ${APPLICATION}/users/:userId`]: 'nothing',
  [`PUT ${APPLICATION}/users/:userId/password`]: 'nothing',
  [`GET ${APPLICATION}/tokens`]: list(OwnedTokenView),
  [`POST ${APPLICATION}/users/:userId/tokens`]: json(CreatedToken),
  [`GET ${APPLICATION}/users/:userId/tokens`]: list(TokenView),
  [`DELETE ${APPLICATION}/users/:userId/tokens/:tokenId`]: 'nothing',
  'GET /operator/v1/organizations': list(OrganizationView),
  [`GET ${ORGANIZATION}`]: json(OrganizationView),
  [`PUT ${ORGANIZATION}`]: json(OrganizationView),
  [`GET ${ORGANIZATION}/sharedUsers`]: list(ManagementSharedUser),
  [`POST ${ORGANIZATION}/sharedUsers`]: json(ManagementSharedUser),
  [`GET ${ORGANIZATION}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`PUT ${ORGANIZATION}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`DELETE ${ORGANIZATION}/sharedUsers/:sharedUserId`]: 'nothing',
  [`PUT ${ORGANIZATION}/sharedUsers/:sharedUserId/password`]: 'nothing',
  'POST /operator/v1/doctor': { line: DoctorLine },
};

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

const JSON_TYPE = 'application/json; charset=utf-8';
const LINES_TYPE = 'application/x-ndjson';

const ajv = new Ajv2020({ strict: false });
const ROUTES = Object.entries(SUCCESSES).map(([title, success]) => {
  const [method = '', path = ''] = title.split(' ');
  const shape = typeof success === 'string' ? undefined : 'json' in success ? success.json : success.line;
  const validate = shape === undefined ? undefined : ajv.compile(closed(shape) as object);
  return { method, path: pathPattern(path), success, validate };
});

/** Segment by segment: an encoded slash separates none. A path that cannot be decoded is refused by the server. */
function decoded(path: string): string {
  try {
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return path;
  }
}

/** Throws when the reply is none that the interface gives. Addresses outside of it are not looked at. */
export function checkReply(method: string, path: string, { status, contentType, text }: CheckedReply): void {
  const bare = decoded(path.split('?')[0] ?? '');
  if (!/^\/(?:operator\/)?v1(?:\/|$)/.test(bare) || method === 'HEAD') return;
  const where = `${method} ${bare} replied ${status} ${text.slice(0, 2_000)}`;
  if (status === 204 || status === 304) assert.equal(text, '', where);
  checkRefusal(where, { status, contentType, text });
  if (status < 200 || status >= 300 || text === '') return;
  const route = ROUTES.find((one) => one.method === method && one.path.test(bare));
  assert.ok(route !== undefined, `${where}: no such route`);
  const { success, validate } = route;
  assert.notEqual(success, 'nothing', `${where}: a body where none may be`);
  if (validate === undefined || typeof success === 'string') return;
  assert.equal(contentType, 'json' in success ? JSON_TYPE : LINES_TYPE, where);
  const bodies = 'json' in success ? [text] : text.split('\n').slice(0, -1);
  for (const body of bodies) assert.ok(validate(JSON.parse(body)), `${where}\n${ajv.errorsText(validate.errors)}`);
}

/** For a client that does not know which request is replied to. */
export function checkRefusal(where: string, { status, contentType, text }: CheckedReply): void {
  if (status < 400 || text === '' || contentType?.startsWith('application/json') !== true) return;
  const { code, params, ...others } = JSON.parse(text);
  assert.ok(typeof code === 'string' && code in FAULTS, `${where}: an unknown code`);
  assert.equal(FAULTS[code as keyof typeof FAULTS].status, status, where);
  assert.deepEqual(others, {}, where);
  assert.ok(params === undefined || (typeof params === 'object' && params !== null), where);
}
