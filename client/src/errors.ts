// What can go wrong: the server refused (`CartularyError`, by its code), or no reply came (`ConnectionError`). An aborted
// signal rejects with the signal's own reason.

import type { RawRecord, RawValue } from './shapes.ts';

/** Where an array of records stopped: the elements before `recordIndex` were applied. */
export interface BatchProgress {
  readonly recordIndex?: number;
  readonly insertedRecords?: readonly RawRecord[];
  readonly updatedRecords?: readonly RawRecord[];
  readonly upsertedRecords?: readonly RawRecord[];
}

interface Reason {
  readonly reason: string;
}
interface ColumnProblem extends BatchProgress {
  readonly columnId: string;
}
interface PropertyProblem {
  readonly property: string;
  readonly reason?: string;
}
interface Named {
  readonly name: string;
}
type Nothing = Readonly<Record<string, never>>;

/** The codes of the interface and the `params` of each. Later servers may send others: they arrive as they are. */
export interface ErrorParams {
  readonly INVALID_APPLICATION_ID: Reason;
  readonly INVALID_COLLECTION_ID: Reason;
  readonly INVALID_COLUMN_ID: Reason;
  readonly INVALID_RECORD_ID: Reason;
  readonly INVALID_ATTACHMENT_ID: Reason;
  readonly INVALID_USER_ID: Reason;
  readonly INVALID_SHARED_USER_ID: Reason;
  readonly INVALID_VIEW_ID: Reason;
  readonly INVALID_PARAMETER: Reason & { readonly parameter: string };
  readonly INVALID_BODY: Reason & BatchProgress & { readonly path?: string; readonly maxBytes?: number };
  readonly INVALID_CONTENT_TYPE: Reason;
  readonly INVALID_VALUE: ColumnProblem & Reason & { readonly path?: string };
  readonly INVALID_SEARCH: { readonly message: string; readonly position: number };
  readonly COLUMN_NOT_SORTABLE: ColumnProblem;
  readonly INVALID_CREATOR: BatchProgress & { readonly creatorId: string };
  readonly INVALID_UPSERT_KEY: ColumnProblem & Reason;
  readonly MISSING_UPSERT_KEY_VALUE: ColumnProblem & Reason;
  readonly DUPLICATED_VALUES: BatchProgress & {
    readonly duplicatedValues: readonly { readonly columnId: string; readonly value: RawValue }[];
  };
  readonly TOO_MANY_RECORDS: { readonly maximum: number };
  readonly TOO_MANY_VIEWS: { readonly maximum: number; readonly shared: boolean };
  readonly USER_NAME_TAKEN: Named;
  readonly UNKNOWN_SHARED_USER: Named;
  readonly ALREADY_ACTIVE: Named;
  readonly UNKNOWN_PROFILE: Named;
  readonly UNKNOWN_TEAM: Named;
  readonly WEAK_PASSWORD: PropertyProblem;
  readonly PASSWORD_NOT_ALLOWED: PropertyProblem;
  readonly MISSING_PROPERTY: PropertyProblem;
  readonly UNEXPECTED_PROPERTY: PropertyProblem;
  readonly INVALID_PROPERTY: PropertyProblem;
  readonly FORBIDDEN_SELF_CHANGE: Reason;
  readonly INVALID_PERIOD: Reason;
  readonly INVALID_NOTIFICATION: PropertyProblem;
  readonly UNAUTHORIZED: Partial<Reason>;
  readonly FORBIDDEN: BatchProgress;
  readonly API_ACCESS_REQUIRED: Nothing;
  readonly MANAGEMENT_API_ACCESS_REQUIRED: Nothing;
  readonly ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED: Nothing;
  readonly ADMIN_REQUIRED: Nothing;
  readonly NOT_IN_PLAN: { readonly group: string };
  readonly FEATURE_DISABLED: { readonly feature: string };
  readonly NOT_FOUND: Nothing;
  readonly COLLECTION_NOT_FOUND: { readonly collectionId: string };
  readonly COLUMN_NOT_FOUND: { readonly columnId: string };
  readonly RECORD_NOT_FOUND: BatchProgress & { readonly recordId: string };
  readonly ATTACHMENT_NOT_FOUND: { readonly attachmentId: string };
  readonly VIEW_NOT_FOUND: { readonly viewId: string };
  readonly USER_NOT_FOUND: { readonly userId: string };
  readonly SHARED_USER_NOT_FOUND: { readonly sharedUserId: string };
  readonly TOKEN_NOT_FOUND: { readonly tokenId: string };
  readonly SESSION_NOT_FOUND: { readonly sessionId: string };
  readonly DEVICE_NOT_FOUND: { readonly deviceId: string };
  readonly METHOD_NOT_ALLOWED: Nothing;
  readonly NOT_IN_SHARED_USERS_MODE: Nothing;
  readonly UPLOAD_OFFSET_MISMATCH: { readonly offset: number };
  readonly IDEMPOTENCY_KEY_IN_USE: Nothing;
  readonly IDEMPOTENCY_KEY_REUSED: Nothing;
  readonly PRECONDITION_FAILED: Nothing;
  readonly RANGE_NOT_SATISFIABLE: { readonly size: number };
  readonly UPLOAD_BUSY: Nothing;
  readonly TOO_MANY_REQUESTS: { readonly group?: string; readonly reason?: string };
  readonly INTERNAL_ERROR: BatchProgress;
  readonly UNAVAILABLE: Reason & BatchProgress;
}

export type ErrorCode = keyof ErrorParams;

/** A reply other than success. */
export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The server refused a request. `error.is('RECORD_NOT_FOUND')` tells which way, and gives `params` their type. */
export class CartularyError<Code extends ErrorCode = ErrorCode> extends Error {
  /** One of `ErrorCode`; of a reply that is not the server's, such as a proxy's, the status as text. */
  readonly code: Code | (string & {});
  readonly status: number;
  readonly params: ErrorParams[Code];
  /** Also in the server's log. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** How often the request was sent. */
  attempts = 1;

  constructor({ status, code, params, requestId, retryAfterSeconds }: Refused) {
    super(sentence(status, code, params));
    this.name = 'CartularyError';
    this.code = code;
    this.status = status;
    this.params = params as ErrorParams[Code];
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  is<Which extends ErrorCode>(code: Which): this is CartularyError<Which> {
    return this.code === code;
  }
}

/** No reply, or only a part of one: the server may or may not have done what was asked. */
export class ConnectionError extends Error {
  /** How often the request was sent. */
  attempts = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

/** `RECORD_NOT_FOUND (404): recordId "r…"`: the records of a batch are left out. */
function sentence(status: number, code: string, params: Refused['params']): string {
  const details = Object.entries(params)
    .filter(([name, value]) => name === 'duplicatedValues' || ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const what = code === String(status) ? `status ${status}` : `${code} (${status})`;
  return [what, ...(details.length > 0 ? [details.join(', ')] : [])].join(': ');
}
