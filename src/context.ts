// What an operation is given: who asks, for which application, and the means to answer. Passed as an argument from the
// road to the operation; nothing is hidden on the request.

import type { ActivitySource } from './domain/activity/activity.ts';
import type { PreparedApplication } from './domain/definition/application.ts';
import type { IdSource } from './domain/ids.ts';
import type { Caller } from './domain/people/access.ts';
import type { Thumbnails } from './images/thumbnails.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Observe } from './observe/events.ts';
import type { Push } from './push/push.ts';
import type { ByteBudget } from './request/byte-budget.ts';
import type { RequestScope } from './request/request-scope.ts';
import type { Signal } from './request/signal.ts';
import type { Slices } from './request/slices.ts';
import type { Providers } from './single-sign-on/providers.ts';
import type { ActiveUploads } from './store/attachments/active-uploads.ts';
import type { Blobs } from './store/blobs/blobs.ts';
import type { Database } from './store/database/database.ts';
import type { Writer } from './store/database/handles.ts';
import type { Invalidation } from './store/nodes/messages.ts';
import type { KnownRecords } from './store/records/known-records.ts';
import type { SearchIndexes } from './store/records/search-indexes.ts';
import type { OperatorProof } from './wire/operator.ts';
import type { UserShort } from './wire/users.ts';

/** What the operations on attachments need besides the database. */
export interface AttachmentDependencies {
  readonly blobs: Blobs;
  readonly thumbnails: Pick<Thumbnails, 'make'>;
  /** By which the other servers know this one (store/nodes/messages). */
  readonly node: string;
  /** Between the two looks that tell whether another server is gone (store/nodes/messages). */
  readonly goneCheckPauseMs: number;
  readonly activeUploads: ActiveUploads;
  /** How long an announced upload may pause. */
  readonly announcedDays: number;
}

/** What the operations on people need besides the database. */
export interface PeopleDependencies {
  readonly hashPassword: PasswordHashing;
  readonly provesPassword: PasswordProof;
  /** Makes this node forget what the news makes stale, at once; the other nodes hear of it by themselves. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** Where people reach the server, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly push: Pick<Push, 'publicKey' | 'has' | 'trusts'>;
  /** Undefined where the operator has set none. */
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
 * For what waits in a queue of its own, or for others: it holds no admission slot meanwhile (gate/admission).
 * Throws when there is none for it afterwards.
 */
export type WithoutSlot = <T>(work: (signal: Signal) => Promise<T>) => Promise<T>;

/**
 * Whether the password is that of the account. Throws 429 while who asks is slowed down (gate/credentials/password-proof); takes the
 * same time without a hash as for a wrong password.
 */
export type PasswordProof = (presented: {
  readonly address: string;
  /** The application among whose requests it waits for its turn; empty for one that nobody knows. */
  readonly tenant: string;
  readonly account: string;
  readonly hash: string | undefined;
  readonly password: string;
  readonly signal: Signal;
}) => Promise<boolean>;

/** The hash of a new password, made when its turn has come (gate/credentials/password-check). */
export type PasswordHashing = (asked: {
  /** As for a proof. */
  readonly tenant: string;
  readonly password: string;
  readonly signal?: Signal;
}) => Promise<string>;

/** Wrong credentials of somebody who exists, for the activity log (operations/people/login-failures). */
export interface LoginFailure {
  readonly application: PreparedApplication;
  readonly user: UserShort;
  readonly source: ActivitySource;
}

/** A session of which somebody has shown a secret that only a copy can still have (operations/people/sessions). */
export interface StolenSession {
  readonly application: PreparedApplication;
  readonly sessionId: string;
  readonly caller: Caller;
  readonly source: ActivitySource;
}

/** Slows down who guesses (gate/throttling/throttle). */
export interface Throttling {
  check(address: string, account: string): void;
  fail(address: string, account: string): void;
  succeed(address: string, account: string): void;
}

export interface Context {
  readonly application: PreparedApplication;
  readonly caller: Caller;
  readonly source: ActivitySource;
  /** Bound to the application. */
  readonly store: Writer;
  readonly known: KnownRecords;
  readonly searchIndexes: SearchIndexes;
  readonly attachments: AttachmentDependencies;
  readonly people: PeopleDependencies;
  /** For what is of people: shared users are in the system schema, and in the schemas of all applications that know them. */
  readonly database: Database;
  readonly withoutSlot: WithoutSlot;
  /** For work that may take long, and the request that it is done for. */
  readonly slices: Slices;
  readonly scope: RequestScope;
  /** What the request's long records are counted in. */
  readonly byteBudget: ByteBudget;
  /** The session by which the caller is known; undefined for tokens and passwords. */
  readonly sessionId: string | undefined;
  /** Likewise the token. */
  readonly tokenId: string | undefined;
  readonly signedInBy: 'token' | 'password' | 'session';
  readonly ids: IdSource;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: () => number;
}

/** For who has not said yet who they are: to sign in, or to ask for a new password. */
export interface VisitorContext {
  /** Of a form that is right, whether or not there is such an application. */
  readonly applicationId: string;
  readonly application: PreparedApplication | undefined;
  readonly source: ActivitySource;
  readonly store: Writer;
  readonly people: PeopleDependencies;
  /** For what is of people: shared users are in the system schema, and in the schemas of all applications that know them. */
  readonly database: Database;
  readonly withoutSlot: WithoutSlot;
  readonly throttle: Throttling;
  /** Throws 429 when the address begins too many single sign-ons (gate/throttling/pace). */
  readonly paceSignOns: (address: string) => void;
  /** Of single sign-on. */
  readonly providers: Pick<Providers, 'authorizationAddress' | 'identify'>;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly observe: Observe;
}

/** The operator stands outside of every application and is given the whole database. */
export interface OperatorContext {
  readonly database: Database;
  readonly source: ActivitySource;
  readonly attachments: AttachmentDependencies;
  readonly ids: IdSource;
  readonly now: () => number;
  readonly observe: Observe;
  /** Makes this node forget what the news makes stale, at once; the other nodes hear of it by themselves. */
  readonly invalidate: (invalidation: Invalidation) => void;
  /** Where people reach the server, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly hashPassword: PasswordHashing;
  /** The end of the connection that is ours (domain/people/operator-proof). */
  readonly endpoint: string;
  /** Throws 429 when the address asks for too many proofs (gate/throttling/pace). */
  readonly paceProofs: (address: string) => void;
  readonly proveKey: (nonce: string, endpoint: string) => OperatorProof;
}
