// The context of an operation: the caller, the application and what the operation depends on. Passed as an argument from the
// handler to the operation; nothing is attached to the request object.

import type { ActivitySource } from './domain/activity/activity.ts';
import type { PreparedApplication } from './domain/definition/application.ts';
import type { IdSource } from './domain/ids.ts';
import type { Caller } from './domain/people/access.ts';
import type { Observe } from './events/events.ts';
import type { Fault } from './faults.ts';
import type { Thumbnails } from './images/thumbnails.ts';
import type { ByteBudget } from './load/byte-budget.ts';
import type { Slices } from './load/slices.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Push } from './push/push.ts';
import type { RequestScope } from './request/request-scope.ts';
import type { Signal } from './request/signal.ts';
import type { Providers } from './single-sign-on/providers.ts';
import type { CountedRequests } from './store/applications/counted-requests.ts';
import type { ActiveUploads } from './store/attachments/active-uploads.ts';
import type { Blobs } from './store/blobs/blobs.ts';
import type { Database } from './store/database/database.ts';
import type { Reader, Writer } from './store/database/handles.ts';
import type { Invalidation } from './store/nodes/messages.ts';
import type { SearchIndexes } from './store/records/search-indexes.ts';
import type { OperatorProof } from './wire/operator.ts';
import type { UserShort } from './wire/users.ts';

/** What operations on attachments depend on besides the database. */
export interface AttachmentDependencies {
  readonly blobs: Blobs;
  readonly thumbnails: Pick<Thumbnails, 'make'>;
  /** Identifies this node to the others (store/nodes/messages). */
  readonly node: string;
  /** Tells which nodes there are. */
  readonly system: Reader;
  /** Pause between the two checks that find a node gone (store/nodes/messages). */
  readonly goneCheckPauseMs: number;
  readonly activeUploads: ActiveUploads;
  /** How long an announced upload may pause. */
  readonly announcedDays: number;
}

/** What operations on people depend on besides the database. */
export interface PeopleDependencies {
  readonly hashPassword: PasswordHashing;
  readonly provesPassword: PasswordProof;
  /** Drops stale entries from this node's caches at once. The other nodes get the announcement from the database. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** The server's address for people, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly push: Pick<Push, 'publicKey' | 'has' | 'trusts'>;
  /** Undefined if no mail server is set. */
  readonly mailer: Mailer | undefined;
  /** Runs work after the reply; false if too much is waiting (jobs/background). */
  readonly inBackground: (task: BackgroundTask, work: BackgroundWork) => boolean;
  readonly loginFailed: (failure: LoginFailure) => void;
}

export const BACKGROUND_TASKS = ['settling', 'loginFailed', 'passwordReset'] as const;
export type BackgroundTask = (typeof BACKGROUND_TASKS)[number];

/** May resolve to a retry: it runs after a pause during which other work runs. */
export type BackgroundWork = (() => Promise<void>) | (() => Promise<BackgroundRetry | undefined>);

export interface BackgroundRetry {
  readonly pauseMs: number;
  readonly work: BackgroundWork;
}

/**
 * For work that waits in another queue or for another service: it holds no admission slot meanwhile (gate/admission).
 * Throws if no slot is free afterwards, unless it goes on `atOnce`.
 */
export type WithoutSlot = <T>(work: (signal: Signal) => Promise<T>, how?: { readonly atOnce?: boolean }) => Promise<T>;

/**
 * Whether the password is the account's. Throws 429 while the address or account is throttled (gate/credentials/password-proof).
 * Takes as long without a hash as for a wrong password.
 */
export type PasswordProof = (presented: {
  readonly address: string;
  /** The application under which it waits in the fair queue; empty if unknown. */
  readonly tenant: string;
  readonly account: string;
  readonly hash: string | undefined;
  readonly password: string;
  readonly signal: Signal;
}) => Promise<boolean>;

/** Hashes a new password; waits in a fair queue (gate/credentials/password-check). */
export type PasswordHashing = (request: {
  /** As for a proof. */
  readonly tenant: string;
  readonly password: string;
  readonly signal?: Signal;
}) => Promise<string>;

/** Wrong credentials for an existing user, for the activity log (operations/people/login-failure-log). */
export interface LoginFailure {
  readonly application: PreparedApplication;
  readonly user: UserShort;
  readonly source: ActivitySource;
}

/** A session whose replaced secret was presented: only a copy can still have it (operations/people/sessions). */
export interface StolenSession {
  readonly application: PreparedApplication;
  readonly sessionId: string;
  readonly caller: Caller;
  readonly source: ActivitySource;
}

/** Slows down password guessing (gate/throttling/throttle). */
export interface Throttling {
  check(address: string, account: string): void;
  fail(address: string, account: string): void;
  succeed(address: string, account: string): void;
}

/** A reply that is kept with what it reports (operations/keyed-requests). */
export interface KeptReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON text, also in parts. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  readonly key: string;
  /** Of the request without its body: what is done, to what and by which headers. */
  readonly fingerprint: string;
  /** Of the JSON body; undefined if there is none, or the body is a file. */
  readonly content: string | undefined;
  readonly problemOf: (fault: Fault) => KeptReply;
  /** Set when the reply is kept: then the request has been done, even if it was refused. */
  kept: boolean;
}

export interface Context {
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly source: ActivitySource;
  /** Bound to the application. */
  readonly store: Writer;
  readonly searchIndexes: SearchIndexes;
  readonly attachments: AttachmentDependencies;
  readonly people: PeopleDependencies;
  /** For operations on people: shared users are in the system schema and in the schema of each application that has them. */
  readonly database: Database;
  readonly withoutSlot: WithoutSlot;
  /** For long synchronous work. */
  readonly slices: Slices;
  readonly scope: RequestScope;
  /** For long records. */
  readonly byteBudget: ByteBudget;
  /** The session that authenticated the caller; undefined for tokens and passwords. */
  readonly sessionId: string | undefined;
  /** The token that authenticated the caller; undefined for sessions and passwords. */
  readonly tokenId: string | undefined;
  readonly signedInBy: 'token' | 'password' | 'session';
  /** Undefined for nearly all requests. */
  readonly keyed: KeyedRequest | undefined;
  readonly ids: IdSource;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: () => number;
}

/** For callers who are not authenticated yet: signing in, or requesting a new password. */
export interface VisitorContext {
  /** Well-formed; the application need not exist. */
  readonly applicationId: string;
  readonly application: PreparedApplication | undefined;
  readonly source: ActivitySource;
  readonly store: Writer;
  readonly people: PeopleDependencies;
  /** For operations on people: shared users are in the system schema and in the schema of each application that has them. */
  readonly database: Database;
  readonly withoutSlot: WithoutSlot;
  readonly throttle: Throttling;
  /** Throws 429 if the address starts too many single sign-ons (gate/throttling/pace). */
  readonly paceSignOns: (address: string) => void;
  /** For single sign-on. */
  readonly providers: Pick<Providers, 'authorizationAddress' | 'identify'>;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly observe: Observe;
}

/** A user whom the operator has named. */
export interface NamedOperator extends UserShort {
  /** To which the user has signed in. */
  readonly applicationId: string;
}

/** The operator belongs to no application and has access to the whole database. */
export interface OperatorContext {
  /** Of Cartulary. */
  readonly version: string;
  readonly database: Database;
  readonly source: ActivitySource;
  readonly attachments: AttachmentDependencies;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly observe: Observe;
  /** For long synchronous work. */
  readonly slices: Slices;
  /** Drops stale entries from this node's caches at once. The other nodes get the announcement from the database. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** The server's address for people, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly hashPassword: PasswordHashing;
  /** Runs work after the reply; false if too much is waiting (jobs/background). */
  readonly inBackground: PeopleDependencies['inBackground'];
  /** For the test of an organization's single sign-on. */
  readonly providers: Pick<Providers, 'examine'>;
  readonly countedRequests: Pick<CountedRequests, 'write'>;
  /** Who the operator is, unless the key proved it (operations/people/operators). */
  readonly namedUser: NamedOperator | undefined;
  /** As Prometheus reads them. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** The local end of the connection (domain/people/server-proof). */
  readonly endpoint: string;
  /** Throws 429 if the address requests too many proofs (gate/throttling/pace). */
  readonly paceProofs: (address: string) => void;
  readonly proveKey: (nonce: string, endpoint: string) => OperatorProof;
}
