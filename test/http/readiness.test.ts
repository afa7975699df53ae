// /readyz is open to everybody: many who ask cost the database as much as one.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { tapWire } from '../support/wire-tap.ts';

it('checks the database once for simultaneous readiness probes', async () => {
  const database = await createDatabase();
  const tap = await tapWire(database.connection);
  const server = await startTestServer({ database, connection: tap.connection });
  const many = 400;
  const ask = async () => {
    tap.take();
    const replies = await Promise.all(Array.from({ length: many }, () => server.send('GET', '/readyz')));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    return tap.take().statements;
  };
  try {
    // What a server does by the clock is counted too, and a slow machine takes longer than an answer is shared.
    const asked = await ask();
    assert.ok(asked < many / 4, `${asked} statements`);
    await until('a later one to ask again', async () => {
      tap.take();
      await server.send('GET', '/readyz');
      return tap.take().statements > 0;
    });
  } finally {
    await server.close();
    await tap.close();
    await database.drop();
  }
});
