// Single sign-ons under way: a browser was sent to the provider and has not come back yet. Secrets are here only as
// hashes, but for those that the provider must be shown.

import type { Writer } from './db.ts';

export interface SignOn {
  readonly stateHash: Uint8Array;
  /** Of what only the browser that began knows. */
  readonly browserHash: Uint8Array;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Anybody may begin one, so that there is a bound for each application. */
const SIGN_ONS_MAX = 10_000;

/** Removes what has expired; false when there are too many even so. */
export async function insertSignOn(store: Writer, signOn: SignOn, now: number): Promise<boolean> {
  const { schema } = store;
  const { stateHash, browserHash, nonce, verifier, returnTo, expiresAt } = signOn;
  const expired = {
    text: `delete from ${schema}.sign_ons where expires_at <= $1`,
    params: [new Date(now).toISOString()],
  };
  const insert = {
    text: `insert into ${schema}.sign_ons (state_hash, browser_hash, nonce, verifier, return_to, expires_at)
      select $1, $2, $3, $4, $5, $6 from ${schema}.fence
      where (select count(*) from ${schema}.sign_ons) < $7 returning state_hash`,
    params: [
      Buffer.from(stateHash),
      Buffer.from(browserHash),
      nonce,
      verifier,
      returnTo,
      new Date(expiresAt).toISOString(),
      SIGN_ONS_MAX,
    ],
  };
  const [, inserted] = await store.transaction((tx) => tx.last([expired, insert]));
  return inserted?.length === 1;
}

/** Whoever takes it is the only one. */
export async function takeSignOn(store: Writer, stateHash: Uint8Array): Promise<SignOn | undefined> {
  const rows = await store.write(
    `delete from ${store.schema}.sign_ons where state_hash = $1
     returning browser_hash, nonce, verifier, return_to, expires_at`,
    [Buffer.from(stateHash)],
  );
  if (rows[0] === undefined) return undefined;
  const [browserHash, nonce, verifier, returnTo, expiresAt] = rows[0] as [Buffer, string, string, string, Date];
  return {
    stateHash,
    browserHash: new Uint8Array(browserHash),
    nonce,
    verifier,
    returnTo,
    expiresAt: expiresAt.getTime(),
  };
}
