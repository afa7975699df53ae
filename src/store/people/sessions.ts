// Sessions of the console. Only hashes of their secrets are stored.

import type { LogEntry } from '../../domain/activity/activity.ts';
import { insertEntries } from '../activity/activity.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';
import { announcement } from '../nodes/messages.ts';
import { readUser, type StoredUser, USER_COLUMNS } from './users.ts';

export type SignInMethod = 'password' | 'singleSignOn';

export interface SessionToInsert {
  readonly id: string;
  readonly userId: string;
  readonly method: SignInMethod;
  readonly epoch: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly ip: string;
  readonly agent: string;
}

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertSession(schema: string, session: SessionToInsert): Statement {
  const { id, userId, method, epoch, secretHash, createdAt, expiresAt, ip, agent } = session;
  return {
    text: `insert into ${schema}.sessions (id, user_id, method, epoch, secret_hash, confirmed, created_at, rotated_at,
        expires_at, ip, agent)
      select $1, $2, $3, $4, $5, true, $6, $6, $7, $8, $9 from ${schema}.fence returning id`,
    params: [id, userId, method, epoch, Buffer.from(secretHash), createdAt, expiresAt, ip, agent],
  };
}

export interface StoredSession {
  readonly id: string;
  readonly method: SignInMethod;
  readonly epoch: string;
  readonly secretHash: Uint8Array;
  /** The secret before the last rotation. */
  readonly formerHash: Uint8Array | undefined;
  /** Whether the client has shown the current secret. */
  readonly confirmed: boolean;
  /**
   * When the secret last changed or, once the client has confirmed it, when it confirmed: the last time we know the
   * client was active.
   */
  readonly rotatedAt: number;
  readonly expiresAt: number;
  readonly user: StoredUser;
}

export async function getSession(reader: Reader, sessionId: string): Promise<StoredSession | undefined> {
  const rows = await reader.rows(
    `select s.id, s.method, s.epoch, s.secret_hash, s.former_hash, s.confirmed, s.rotated_at, s.expires_at,
       ${USER_COLUMNS}
     from ${reader.schema}.sessions s join ${reader.schema}.users u on u.id = s.user_id
     where s.id = $1 and u.deleted_at is null`,
    [sessionId],
  );
  return rows[0] && readSession(rows[0]);
}

const SESSION_COLUMNS = 8;

function readSession(row: Row): StoredSession {
  const [id, method, epoch, secretHash, formerHash, confirmed, rotatedAt, expiresAt] = row as [
    string,
    SignInMethod,
    string,
    Buffer,
    Buffer | null,
    boolean,
    Date,
    Date,
  ];
  return {
    id,
    method,
    epoch,
    secretHash: new Uint8Array(secretHash),
    formerHash: formerHash === null ? undefined : new Uint8Array(formerHash),
    confirmed,
    rotatedAt: rotatedAt.getTime(),
    expiresAt: expiresAt.getTime(),
    user: readUser(row.slice(SESSION_COLUMNS)),
  };
}

export interface Rotation {
  readonly sessionId: string;
  /** The current secret when the rotation was decided: of several concurrent rotations only one takes place. */
  readonly secretHash: Uint8Array;
  readonly newHash: Uint8Array;
  /** The secret that the client has. */
  readonly formerHash: Uint8Array;
  readonly at: string;
}

/** False when another request has rotated the secret first. */
export async function rotateSession(
  writer: Writer,
  { sessionId, secretHash, newHash, formerHash, at }: Rotation,
): Promise<boolean> {
  const rows = await writer.write(
    `update ${writer.schema}.sessions set secret_hash = $3, former_hash = $4, confirmed = false, rotated_at = $5
     where id = $1 and secret_hash = $2 returning id`,
    [sessionId, Buffer.from(secretHash), Buffer.from(newHash), Buffer.from(formerHash), at],
  );
  return rows.length > 0;
}

/** Starts the time after which the former secret is no longer accepted. */
export async function confirmSession(
  writer: Writer,
  sessionId: string,
  { secretHash, at }: { secretHash: Uint8Array; at: string },
): Promise<void> {
  await writer.write(
    `update ${writer.schema}.sessions set confirmed = true, rotated_at = $3
     where id = $1 and secret_hash = $2 and not confirmed returning id`,
    [sessionId, Buffer.from(secretHash), at],
  );
}

/** Keeps the session and its devices although the password of its user has changed. False when the session has ended. */
export async function moveSession(
  tx: Transaction,
  sessionId: string,
  epochs: { readonly session: string; readonly account: string },
): Promise<boolean> {
  const { schema } = tx;
  const [moved = []] = await tx.pipeline([
    {
      text: `update ${schema}.sessions set epoch = $2 where id = $1 returning id`,
      params: [sessionId, epochs.session],
    },
    { text: `update ${schema}.devices set epoch = $2 where session_id = $1`, params: [sessionId, epochs.account] },
  ]);
  return moved.length > 0;
}

export interface ListedSession extends Pick<StoredSession, 'id' | 'method' | 'epoch' | 'rotatedAt' | 'expiresAt'> {
  readonly createdAt: number;
  readonly ip: string;
  readonly agent: string;
}

/** All that are stored, those that have ended by age or epoch included; the latest used first. */
export async function listSessions(reader: Reader, userId: string): Promise<ListedSession[]> {
  const rows = await reader.rows(
    `select id, method, epoch, rotated_at, expires_at, created_at, ip, agent from ${reader.schema}.sessions
     where user_id = $1 order by rotated_at desc, id`,
    [userId],
  );
  return (rows as [string, SignInMethod, string, Date, Date, Date, string, string][]).map(
    ([id, method, epoch, rotatedAt, expiresAt, createdAt, ip, agent]) => ({
      ...{ id, method, epoch, ip, agent },
      rotatedAt: rotatedAt.getTime(),
      expiresAt: expiresAt.getTime(),
      createdAt: createdAt.getTime(),
    }),
  );
}

/** The user's sessions that are older than the newest `count`. */
export async function sessionsBeyond(reader: Reader, userId: string, count: number): Promise<string[]> {
  const rows = await reader.rows(
    `select id from ${reader.schema}.sessions where user_id = $1 order by created_at desc, id offset $2 limit $2`,
    [userId, count],
  );
  return rows.map(([id]) => id as string);
}

/**
 * Ends the session and removes its devices, which would otherwise go on receiving the user's notifications. False when the
 * session had already ended.
 */
export async function endSession(
  writer: Writer,
  { applicationId, sessionId, entries }: { applicationId: string; sessionId: string; entries: readonly LogEntry[] },
): Promise<boolean> {
  return writer.transaction(async (tx) => {
    const ended = await tx.rows(`delete from ${tx.schema}.sessions where id = $1 returning id`, [sessionId]);
    if (ended.length === 0) return false;
    await tx.commitWith([
      { text: `delete from ${tx.schema}.devices where session_id = $1`, params: [sessionId] },
      ...(entries.length === 0 ? [] : [insertEntries(tx.schema, entries)]),
      announcement({ application: applicationId, session: sessionId }),
    ]);
    return true;
  });
}

/** Removes expired sessions, single sign-ons and password resets. */
export async function removeExpired(
  writer: Writer,
  { now, idleSince }: { now: string; idleSince: string },
): Promise<void> {
  const { schema } = writer;
  await writer.write(`delete from ${schema}.sessions where expires_at <= $1 or rotated_at <= $2`, [now, idleSince]);
  await writer.write(`delete from ${schema}.sign_ons where expires_at <= $1`, [now]);
  await writer.write(`delete from ${schema}.password_resets where expires_at <= $1`, [now]);
}
