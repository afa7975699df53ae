// Whoever makes many users at once fills the threads for passwords with no more than anybody, and keeps no other application waiting.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { publishApplication } from '../support/application.ts';
import { QUICK, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Threads that Node has for files and passwords together. */
const THREADS = 4;
const MANY = 30;

it('new passwords of one application leave room for files and for the passwords of another', async () => {
  let isSlow = false;
  let underWay = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!isSlow) return work();
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise<void>((resolve) => held.push(resolve));
    underWay -= 1;
    return work();
  };
  const server = await startTestServer({
    argon2: {
      hash: (password) => slowly(() => QUICK.hash(password)),
      verify: (hash, password) => slowly(() => QUICK.verify(hash, password)),
    },
  });
  try {
    const loud = await publishApplication(server, { collections: [] });
    const quiet = await publishApplication(server, { collections: [] });
    isSlow = true;
    const create = (n: number) =>
      loud.send('POST', '/management/users', {
        json: {
          ...{ name: `New ${n}`, email: 'new@example.com', password: 'Secret-Passw0rd' },
          ...{ admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } },
        },
      });
    const created = Array.from({ length: MANY }, (_, n) => create(n));
    await until('the first to be hashed', () => held.length > 0);
    // Who waits for that has no place: all else of the application goes on.
    assert.equal((await loud.send('GET', '')).status, 200);
    const authorization = `Basic ${Buffer.from(`${quiet.admin.id}:${quiet.admin.password}`).toString('base64')}`;
    let isIn = false;
    const signedIn = server.send('GET', `/v1/${quiet.id}`, { headers: { authorization } }).then((reply) => {
      isIn = true;
      return reply;
    });
    let released = 0;
    await until('the other application to be served', () => {
      if (!isIn && held.length > 0 && released < MANY) {
        released += 1;
        held.shift()?.();
      }
      return isIn;
    });
    assert.equal((await signedIn).status, 200);
    assert.ok(most < THREADS, `${most} at once`);
    assert.ok(released < MANY, 'before all of the first were hashed');
    isSlow = false;
    for (const release of held.splice(0)) release();
    for (const reply of await Promise.all(created)) assert.equal(reply.status, 200, reply.text);
  } finally {
    isSlow = false;
    for (const release of held.splice(0)) release();
    await server.close();
  }
});
