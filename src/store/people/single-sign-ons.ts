// Single sign-ons under way: a browser was sent to the provider and has not come back yet. Only hashes of secrets are
// stored, except for those that have to be sent to the provider.

import type { Writer } from '../database/handles.ts';

export interface SignOn {
  readonly stateHash: Uint8Array;
  /** Hash of the secret that only the browser that began has. */
  readonly browserHash: Uint8Array;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** The session that the browser had when it began. */
  readonly formerSession: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Per application, since beginning needs no credentials; beyond it the oldest are removed. */
const SIGN_ONS_MAX = 10_000;

/** Also removes expired attempts. */
export async function insertSignOn(store: Writer, signOn: SignOn, now: number): Promise<void> {
  const { schema } = store;
  const { stateHash, browserHash, nonce, verifier, returnTo, formerSession, expiresAt } = signOn;
  const expired = {
    text: `delete from ${schema}.sign_ons where expires_at <= $1`,
    params: [new Date(now).toISOString()],
  };
  const insert = {
    text: `insert into ${schema}.sign_ons (state_hash, browser_hash, nonce, verifier, return_to, former_session,
        expires_at) select $1, $2, $3, $4, $5, $6, $7 from ${schema}.fence returning state_hash`,
    params: [
      Buffer.from(stateHash),
      Buffer.from(browserHash),
      nonce,
      verifier,
      returnTo,
      formerSession ?? null,
      new Date(expiresAt).toISOString(),
    ],
  };
  const beyond = {
    text: `delete from ${schema}.sign_ons where expires_at <=
      (select s.expires_at from ${schema}.sign_ons s order by s.expires_at desc offset $1 limit 1)`,
    params: [SIGN_ONS_MAX],
  };
  await store.transaction((tx) => tx.commitWith([expired, insert, beyond]));
}

/** Removes the attempt, so that it can be used only once. */
export async function takeSignOn(store: Writer, stateHash: Uint8Array): Promise<SignOn | undefined> {
  const rows = await store.write(
    `delete from ${store.schema}.sign_ons where state_hash = $1
     returning browser_hash, nonce, verifier, return_to, former_session, expires_at`,
    [Buffer.from(stateHash)],
  );
  if (rows[0] === undefined) return undefined;
  type Row = [Buffer, string, string, string, string | null, Date];
  const [browserHash, nonce, verifier, returnTo, formerSession, expiresAt] = rows[0] as Row;
  return {
    stateHash,
    browserHash: new Uint8Array(browserHash),
    nonce,
    verifier,
    returnTo,
    formerSession: formerSession ?? undefined,
    expiresAt: expiresAt.getTime(),
  };
}
