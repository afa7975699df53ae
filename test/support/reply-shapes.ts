// What every reply of the interface must look like, checked on each that a test receives: a refusal has a known code
// with that code's status, and a success the shape that the OpenAPI document (or, for the operator, src/wire) has for its
// route, without a member that the shape lacks.

import assert from 'node:assert/strict';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { FAULTS } from '../../src/faults.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { ROUTES, SUBJECTS, VISITOR_ROUTES } from '../../src/http/routes/table.ts';
import { RestoreReply } from '../../src/wire/backup.ts';
import { DoctorLine } from '../../src/wire/doctor.ts';
import { PATTERNS } from '../../src/wire/identifiers.ts';
import {
  ApplicationSummary,
  OperatorProof,
  OperatorView,
  OrganizationView,
  PublishingState,
  PublishReply,
  SingleSignOnExamination,
  VersionSummary,
} from '../../src/wire/operator.ts';
import { Definition } from '../../src/wire/publish-document.ts';
import { QuotasOverview, QuotasView } from '../../src/wire/quotas.ts';
import { CreatedToken, OwnedTokenView, TokenView } from '../../src/wire/tokens.ts';
import { UseOverview, UseView } from '../../src/wire/use.ts';
import { ManagementSharedUser, ManagementUser } from '../../src/wire/users.ts';

export interface CheckedReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** The shape with every object closed to members that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...copy, additionalProperties: false }
    : copy;
}

const pathPattern = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(/:(\w+)/g, (_, name: string) => (name in PATTERNS ? PATTERNS[name as keyof typeof PATTERNS].slice(1, -1) : '[^/]+'))}/?$`,
  );

const JSON_TYPE = 'application/json; charset=utf-8';
const LINES_TYPE = 'application/x-ndjson';

/** The general document as the server sends it: the replies of the interface are checked against it and nothing else. */
const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(SUBJECTS))) as {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >;
  components: { schemas: object; responses: object };
};

// Without a look at the schemas themselves, which test/http/reply-shapes.test.ts takes once for all processes.
const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
ajv.addSchema({ $id: 'openapi', components: { schemas: closed(DOCUMENT.components.schemas) } });

/** References lead into the document. */
const located = (schema: object): object =>
  closed(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))) as object;

interface Checked {
  readonly method: string;
  readonly path: RegExp;
  /** By status; undefined: any status of a known refusal, and 2xx. */
  readonly validators: ReadonlyMap<number, Validator | undefined>;
  readonly refusals: ReadonlySet<number> | undefined;
}

interface Validator {
  readonly contentType: string;
  validate(): ValidateFunction;
}

/** Compiled on first use: all of them take a second, and a process of tests uses few. */
function validatorOf(contentType: string, schema: object): Validator {
  let compiled: ValidateFunction | undefined;
  const validate = () => {
    compiled ??= ajv.compile(located(schema));
    return compiled;
  };
  return { contentType, validate };
}

const ANY_PAGE = new Map([[200, undefined]]);

function checkedOperation({ method, path }: (typeof ROUTES)[number] | (typeof VISITOR_ROUTES)[number]): Checked {
  const template = path.replace(/^\/v1/, '').replaceAll(/:(\w+)/g, '{$1}');
  const responses = DOCUMENT.paths[template]?.[method.toLowerCase()]?.responses;
  // A page that leads a browser on.
  if (responses === undefined) return { method, path: pathPattern(path), validators: ANY_PAGE, refusals: undefined };
  const validators = Object.entries(responses).flatMap(
    ([status, { content = {} }]): [number, Validator | undefined][] => {
      if (Number(status) >= 400) return [];
      const json = content['application/json']?.schema;
      const lines = content[LINES_TYPE]?.schema;
      if (json !== undefined) return [[Number(status), validatorOf(JSON_TYPE, json)]];
      if (lines !== undefined) return [[Number(status), validatorOf(LINES_TYPE, lines)]];
      return Object.keys(content).length > 0 ? [[Number(status), undefined]] : [];
    },
  );
  const refusals = new Set(
    Object.keys(responses)
      .map(Number)
      .filter((status) => status >= 400),
  );
  return { method, path: pathPattern(path), validators: new Map(validators), refusals };
}

/** What a success of an operator's route has for a body: JSON of a shape, lines of JSON, other bytes, or nothing at all. */
type Success = { readonly json: object } | { readonly line: object } | 'bytes' | 'nothing';

const json = (shape: object): Success => ({ json: shape });
const list = (items: object): Success => ({ json: { type: 'array', items } });

const APPLICATION = '/operator/v1/applications/:applicationId';
const ORGANIZATION = '/operator/v1/organizations/:name';

/** A row for each route of the operator, which test/http/reply-shapes.test.ts compares with the tables of routes. */
export const OPERATOR_SUCCESSES: Readonly<Record<string, Success>> = {
  'GET /operator/v1/publish-document.schema.json': json({ type: 'object', required: ['$schema', '$id', 'title'] }),
  'POST /operator/v1/proof': json(OperatorProof),
  'POST /operator/v1/applications': json(PublishReply),
  'GET /operator/v1/applications': list(ApplicationSummary),
  [`GET ${APPLICATION}`]: json(Definition),
  [`GET ${APPLICATION}/publishing`]: json(PublishingState),
  [`GET ${APPLICATION}/versions`]: list(VersionSummary),
  [`GET ${APPLICATION}/versions/:version`]: json(Definition),
  [`DELETE ${APPLICATION}`]: 'nothing',
  'GET /operator/v1/quotas': json(QuotasOverview),
  [`GET ${APPLICATION}/quotas`]: json(QuotasView),
  [`PUT ${APPLICATION}/quotas`]: json(QuotasView),
  'GET /operator/v1/use': json(UseOverview),
  [`GET ${APPLICATION}/use`]: json(UseView),
  [`GET ${APPLICATION}/users`]: list(ManagementUser),
  [`POST ${APPLICATION}/users`]: json(ManagementUser),
  [`GET ${APPLICATION}/users/:userId`]: json(ManagementUser),
  [`PUT ${APPLICATION}/users/:userId`]: json(ManagementUser),
  [`DELETE ${APPLICATION}/users/:userId`]: 'nothing',
  [`PUT ${APPLICATION}/users/:userId/password`]: 'nothing',
  'GET /operator/v1/operators': list(OperatorView),
  [`PUT ${APPLICATION}/users/:userId/operator`]: 'nothing',
  [`DELETE ${APPLICATION}/users/:userId/operator`]: 'nothing',
  [`GET ${APPLICATION}/tokens`]: list(OwnedTokenView),
  [`POST ${APPLICATION}/users/:userId/tokens`]: json(CreatedToken),
  [`GET ${APPLICATION}/users/:userId/tokens`]: list(TokenView),
  [`DELETE ${APPLICATION}/users/:userId/tokens/:tokenId`]: 'nothing',
  'GET /operator/v1/organizations': list(OrganizationView),
  [`GET ${ORGANIZATION}`]: json(OrganizationView),
  [`PUT ${ORGANIZATION}`]: json(OrganizationView),
  [`POST ${ORGANIZATION}/singleSignOn/examination`]: json(SingleSignOnExamination),
  [`GET ${ORGANIZATION}/sharedUsers`]: list(ManagementSharedUser),
  [`POST ${ORGANIZATION}/sharedUsers`]: json(ManagementSharedUser),
  [`GET ${ORGANIZATION}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`PUT ${ORGANIZATION}/sharedUsers/:sharedUserId`]: json(ManagementSharedUser),
  [`DELETE ${ORGANIZATION}/sharedUsers/:sharedUserId`]: 'nothing',
  [`PUT ${ORGANIZATION}/sharedUsers/:sharedUserId/password`]: 'nothing',
  'POST /operator/v1/doctor': { line: DoctorLine },
  'GET /operator/v1/metrics': 'bytes',
  'GET /operator/v1/backup': 'bytes',
  'POST /operator/v1/restore': json(RestoreReply),
};

function checkedByOperator([title, success]: readonly [string, Success]): Checked {
  const [method = '', path = ''] = title.split(' ');
  const at = { method, path: pathPattern(path), refusals: undefined };
  if (success === 'nothing') return { ...at, validators: new Map() };
  if (success === 'bytes') return { ...at, validators: new Map([[200, undefined]]) };
  const validator = 'json' in success ? validatorOf(JSON_TYPE, success.json) : validatorOf(LINES_TYPE, success.line);
  return { ...at, validators: new Map([[200, validator]]) };
}

/** Users whom the operator has named get the same below their application. */
const BY_NAMED = Object.entries(OPERATOR_SUCCESSES).map(
  ([title, success]) => [title.replace('/operator/v1', '/v1/:applicationId/operator'), success] as const,
);

const CHECKED = [
  ...[...ROUTES, ...VISITOR_ROUTES].map(checkedOperation),
  ...[...Object.entries(OPERATOR_SUCCESSES), ...BY_NAMED].map(checkedByOperator),
];

/** The paths of one method are tried one after the other, for every reply. */
const CHECKED_BY_METHOD: ReadonlyMap<string, readonly Checked[]> = new Map(
  CHECKED.map(({ method }) => [method, CHECKED.filter((one) => one.method === method)]),
);

/** Compiles all of them, and checks that what they are compiled from is JSON Schema. Returns how many there are. */
export function checkShapes(): number {
  const shapes = CHECKED.flatMap(({ validators }) => [...validators.values()]).filter((one) => one !== undefined);
  for (const schema of [...Object.values(DOCUMENT.components.schemas), ...shapes.map(compiledFrom)]) {
    assert.ok(ajv.validateSchema(schema), ajv.errorsText(ajv.errors));
  }
  return shapes.length;
}

const compiledFrom = ({ validate }: Validator): AnySchema => validate().schema;

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
  const known = CHECKED_BY_METHOD.get(method)?.find((one) => one.path.test(bare));
  if (status >= 400 && known?.refusals !== undefined && !OUTSIDE_OPERATIONS.has(status)) {
    assert.ok(known.refusals.has(status), `${where}: a status that the document does not tell`);
  }
  if (status < 200 || status >= 300 || text === '' || bare.replace(/\/$/, '') === OPENAPI_PATH) return;
  assert.ok(known !== undefined, `${where}: no such route`);
  assert.ok(known.validators.has(status), `${where}: a body where none may be`);
  const checking = known.validators.get(status);
  if (checking === undefined) return;
  assert.equal(contentType, checking.contentType, where);
  const bodies = checking.contentType === JSON_TYPE ? [text] : text.split('\n').slice(0, -1);
  const validate = checking.validate();
  for (const body of bodies) assert.ok(validate(JSON.parse(body)), `${where}\n${ajv.errorsText(validate.errors)}`);
}

/** What is refused before an operation is known, or by the way that requests are sent. */
const OUTSIDE_OPERATIONS: ReadonlySet<number> = new Set([405]);
const OPENAPI_PATH = '/v1/openapi.json';

/** For a client that does not know which request is replied to. */
export function checkRefusal(where: string, { status, contentType, text }: CheckedReply): void {
  if (status < 400 || text === '' || contentType?.startsWith('application/json') !== true) return;
  const { code, params, ...others } = JSON.parse(text);
  assert.ok(typeof code === 'string' && code in FAULTS, `${where}: an unknown code`);
  assert.equal(FAULTS[code as keyof typeof FAULTS].status, status, where);
  assert.deepEqual(others, {}, where);
  assert.ok(params === undefined || (typeof params === 'object' && params !== null), where);
}
