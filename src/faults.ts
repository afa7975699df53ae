// Every deliberate failure as a row: its code, its status and the type of `params` (docs/errors.md).
// A fault is something the caller can act on. Conditions that our own code branches on are returned values; bugs are
// ordinary Errors, which leave the server as INTERNAL_ERROR.

interface Row<Params> {
  readonly status: number;
  /** Only carries the type of `params`; never set. */
  readonly params?: Params;
}

const row = <Params = undefined>(status: number): Row<Params> => ({ status });

type Identifier = { reason: string };
export type BodyProblem = { reason: string; path?: string; maxBytes?: number };
export type DuplicatedValues = { duplicatedValues: { columnId: string; value: unknown }[] };
type PropertyProblem = { property: string; reason?: string };

export const FAULTS = {
  INVALID_APPLICATION_ID: row<Identifier>(400),
  INVALID_COLLECTION_ID: row<Identifier>(400),
  INVALID_COLUMN_ID: row<Identifier>(400),
  INVALID_RECORD_ID: row<Identifier>(400),
  INVALID_ATTACHMENT_ID: row<Identifier>(400),
  INVALID_USER_ID: row<Identifier>(400),
  INVALID_SHARED_USER_ID: row<Identifier>(400),
  INVALID_VIEW_ID: row<Identifier>(400),
  INVALID_PARAMETER: row<{ parameter: string; reason: string }>(400),
  INVALID_BODY: row<BodyProblem>(400),
  INVALID_CONTENT_TYPE: row<{ reason: string }>(400),
  INVALID_VALUE: row<{ columnId: string; reason: string; path?: string }>(400),
  INVALID_SEARCH: row<{ message: string; position: number }>(400),
  COLUMN_NOT_SORTABLE: row<{ columnId: string }>(400),
  INVALID_CREATOR: row<{ creatorId: string }>(400),
  INVALID_UPSERT_KEY: row<{ columnId: string; reason: string }>(400),
  MISSING_UPSERT_KEY_VALUE: row<{ columnId: string; reason: string }>(400),
  DUPLICATED_VALUES: row<DuplicatedValues>(400),
  TOO_MANY_RECORDS: row<{ maximum: number }>(400),
  TOO_MANY_VIEWS: row<{ maximum: number; shared: boolean }>(400),
  USER_NAME_TAKEN: row<{ name: string }>(400),
  UNKNOWN_SHARED_USER: row<{ name: string }>(400),
  ALREADY_ACTIVE: row<{ name: string }>(400),
  UNKNOWN_PROFILE: row<{ name: string }>(400),
  UNKNOWN_TEAM: row<{ name: string }>(400),
  WEAK_PASSWORD: row<PropertyProblem>(400),
  PASSWORD_NOT_ALLOWED: row<PropertyProblem>(400),
  MISSING_PROPERTY: row<PropertyProblem>(400),
  UNEXPECTED_PROPERTY: row<PropertyProblem>(400),
  INVALID_PROPERTY: row<PropertyProblem>(400),
  FORBIDDEN_SELF_CHANGE: row<{ reason: string }>(400),
  INVALID_PERIOD: row<{ reason: string }>(400),
  INVALID_NOTIFICATION: row<{ property: string; reason: string }>(400),
  INVALID_DEFINITION: row<{ problems: readonly { path: string; reason: string }[] }>(400),
  INVALID_ARCHIVE: row<{ reason: string }>(400),
  /** Only for a scheme that is not known: why credentials are wrong is not told. */
  UNAUTHORIZED: row<{ reason: string } | undefined>(401),
  FORBIDDEN: row(403),
  API_ACCESS_REQUIRED: row(403),
  MANAGEMENT_API_ACCESS_REQUIRED: row(403),
  ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED: row(403),
  ADMIN_REQUIRED: row(403),
  NOT_IN_PLAN: row<{ group: string }>(403),
  FEATURE_DISABLED: row<{ feature: string }>(403),
  NOT_FOUND: row(404),
  COLLECTION_NOT_FOUND: row<{ collectionId: string }>(404),
  COLUMN_NOT_FOUND: row<{ columnId: string }>(404),
  RECORD_NOT_FOUND: row<{ recordId: string }>(404),
  ATTACHMENT_NOT_FOUND: row<{ attachmentId: string }>(404),
  VIEW_NOT_FOUND: row<{ viewId: string }>(404),
  APPLICATION_NOT_FOUND: row<{ applicationId: string }>(404),
  ORGANIZATION_NOT_FOUND: row<{ name: string }>(404),
  USER_NOT_FOUND: row<{ userId: string }>(404),
  SHARED_USER_NOT_FOUND: row<{ sharedUserId: string }>(404),
  TOKEN_NOT_FOUND: row<{ tokenId: string }>(404),
  SESSION_NOT_FOUND: row<{ sessionId: string }>(404),
  DEVICE_NOT_FOUND: row<{ deviceId: string }>(404),
  METHOD_NOT_ALLOWED: row(405),
  NOT_IN_SHARED_USERS_MODE: row(405),
  WOULD_LOSE_DATA: row<{ changes: readonly object[] }>(409),
  UNIQUE_COLLISION: row<{
    collisions: readonly { collectionId: string; columnId: string; value: unknown; recordIds: readonly string[] }[];
  }>(409),
  RESTORE_CONFLICT: row<{ reason: string }>(409),
  MODE_HAS_USERS: row<{ users: number }>(409),
  UPLOAD_OFFSET_MISMATCH: row<{ offset: number }>(409),
  IDEMPOTENCY_KEY_IN_USE: row(409),
  PRECONDITION_FAILED: row(412),
  RANGE_NOT_SATISFIABLE: row<{ size: number }>(416),
  IDEMPOTENCY_KEY_REUSED: row<{ reason: string }>(422),
  UPLOAD_BUSY: row(423),
  TOO_MANY_REQUESTS: row<{ reason: string } | { group: string }>(429),
  INTERNAL_ERROR: row(500),
  UNAVAILABLE: row<{ reason: string }>(503),
} as const;

export type FaultCode = keyof typeof FAULTS;
type ParamsOf<Code extends FaultCode> =
  (typeof FAULTS)[Code] extends Row<infer P extends object | undefined> ? P : never;

/** A batch adds the index at which it stopped and the records it had applied by then (docs/errors.md, "Batches"). */
export interface BatchProgress {
  readonly recordIndex: number;
  /** One member: insertedRecords, updatedRecords or upsertedRecords. */
  readonly applied: Readonly<Record<string, readonly RawJson[]>>;
}

/** JSON text that is sent unchanged; records are stored as text and not parsed for a reply. */
export class RawJson {
  /** Long texts are UTF-8 buffers. */
  readonly text: string | Buffer;
  constructor(text: string | Buffer) {
    this.text = text;
  }
}

export class Fault extends Error {
  readonly code: FaultCode;
  readonly params: object | undefined;
  headers: Readonly<Record<string, string>>;
  batch: BatchProgress | undefined;

  constructor(code: FaultCode, params: object | undefined, headers: Readonly<Record<string, string>> = {}) {
    super(code);
    this.code = code;
    this.params = params;
    this.headers = headers;
  }

  get status(): number {
    return FAULTS[this.code].status;
  }
}

type Arguments<Code extends FaultCode> =
  undefined extends ParamsOf<Code>
    ? [params?: ParamsOf<Code>, headers?: Record<string, string>]
    : [params: ParamsOf<Code>, headers?: Record<string, string>];

export function fault<Code extends FaultCode>(code: Code, ...[params, headers]: Arguments<Code>): Fault {
  return new Fault(code, params, headers);
}

/** Why a request was refused because of load or quota, in one word; undefined for other faults. */
export function refusalReason({ code, params }: Fault): string | undefined {
  if (code !== 'UNAVAILABLE' && code !== 'TOO_MANY_REQUESTS') return undefined;
  return (params as { reason?: string }).reason ?? 'quota';
}

/** Too many requests compete for a resource that will be free again soon. */
export const tooBusy = (seconds = 1): Fault =>
  fault('UNAVAILABLE', { reason: 'busy' }, { 'retry-after': String(seconds) });

/** For the console: a Basic challenge would make browsers open their own password dialog. */
export const notSignedIn = (headers: Readonly<Record<string, string>> = {}): Fault =>
  fault('UNAUTHORIZED', undefined, { 'www-authenticate': 'Bearer realm="cartulary"', ...headers });
