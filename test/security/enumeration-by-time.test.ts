// The time that a refusal takes tells nobody whether there is such a user. Medians of alternating tries, with a bound so
// generous that only an answer without the slow hash, or with two, is outside of it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ARGON2, PasswordCheck } from '../../src/gate/credentials/password-check.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { basic, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const TRIES = 15;
const NOBODY = `p${'0'.repeat(26)}`;

describe('the time of a refusal', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer({ argon2: ARGON2 });
    app = await publishApplication(server, { activityLogEnabled: true, collections: [] });
    await server.database.sql(`update app_${app.id}.users set email_folded = 'admin@example.com' where id = $1`, [
      app.admin.id,
    ]);
  });
  after(async () => {
    await server.close();
  });

  type Try = (attempt: number) => Promise<{ status: number }>;

  const byBasic =
    (userId: string | undefined, { fresh, applicationId = app.id }: { fresh: boolean; applicationId?: string }): Try =>
    (attempt) => {
      // Somebody whom this server has not been asked for yet.
      const unknown = `u${String(attempt).padStart(7, fresh ? '1' : '0')}`;
      const authorization = basic(userId ?? (fresh ? unknown : 'u0000000'), `Wrong-Passw0rd-${attempt}`);
      return send(server.address, 'GET', `/v1/${applicationId}`, { headers: { authorization } });
    };
  const bySignIn =
    (named: object, applicationId = app.id): Try =>
    (attempt) =>
      send(server.address, 'POST', `/v1/${applicationId}/session`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...named, password: `Wrong-Passw0rd-${attempt}` }),
      });

  async function timed(attempt: Try, number: number, status: number): Promise<number> {
    const begun = performance.now();
    const reply = await attempt(number);
    assert.equal(reply.status, status);
    return performance.now() - begun;
  }

  const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;

  /** All of them in turn, so that a burden on the machine meets all alike. The first is the one of somebody who exists. */
  async function assertAlike(attempts: Readonly<Record<string, Try>>): Promise<void> {
    const times = new Map<string, number[]>(Object.keys(attempts).map((what) => [what, []]));
    for (let number = 0; number < TRIES; number++) {
      for (const [what, attempt] of Object.entries(attempts)) {
        const took = await timed(attempt, number, 401);
        times.get(what)!.push(took);
        // Beside others a flood of passwords pauses (gate/credentials/password-check), for known and unknown users alike.
        await sleep(took);
      }
    }
    const [known = 0] = [...times.values()].map(median);
    for (const [what, all] of times) {
      const ratio = median(all) / known;
      assert.ok(ratio > 0.5 && ratio < 2, `${what}: ${median(all)} ms against ${known} ms`);
    }
  }

  it('holds one slow hash from the first request on, whether or not there is such a user', async () => {
    const counts = { hashed: 0, verified: 0 };
    const argon2 = {
      hash: async () => `decoy ${++counts.hashed}`,
      verify: async () => ++counts.verified < 0,
    };
    const passwords = new PasswordCheck(argon2);
    const somebody = { tenant: '', account: 'somebody', password: 'Wrong-Passw0rd' };
    assert.deepEqual(counts, { hashed: 1, verified: 0 }, 'what is compared in vain is made ahead');
    for (const [index, hash] of [undefined, 'some hash', undefined].entries()) {
      assert.equal(await passwords.matches({ ...somebody, hash }), false);
      assert.deepEqual(counts, { hashed: 1, verified: index + 1 });
    }
  });

  it('is that of the hash which the server keeps', async () => {
    const rows = await server.database.sql(`select password_hash from app_${app.id}.users`);
    for (const [hash] of rows) assert.match(String(hash), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is the same at Basic', async () => {
    const remembered = await app.addPerson('Remembered');
    const right = { authorization: basic(remembered.id, remembered.password) };
    const askRight = () => send(server.address, 'GET', `/v1/${app.id}`, { headers: right });
    assert.equal((await askRight()).status, 200);
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [remembered.id]);
    await server.database.sql(`select pg_notify('cartulary', $1)`, [`application ${app.id}`]);
    await until('it to count', async () => (await askRight()).status === 401);
    await assertAlike({
      known: byBasic(app.admin.id, { fresh: false }),
      unknown: byBasic(undefined, { fresh: false }),
      'unknown each time': byBasic(undefined, { fresh: true }),
      'disabled, with the right password, which was right before': askRight,
      'unknown application': byBasic(app.admin.id, { fresh: false, applicationId: NOBODY }),
    });
  });

  it('is the same at signing in', async () => {
    await assertAlike({
      known: bySignIn({ userId: app.admin.id }),
      unknown: bySignIn({ userId: 'u0000000' }),
      'known by address': bySignIn({ email: 'admin@example.com' }),
      'unknown by address': bySignIn({ email: 'nobody@example.com' }),
      'unknown application': bySignIn({ userId: app.admin.id }, NOBODY),
    });
  });
});
