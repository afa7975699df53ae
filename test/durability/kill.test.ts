// What was acknowledged is there: after kill -9 of the server, and of PostgreSQL under it, in the middle of writing.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { number, string } from '../support/application.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, type Reply, sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';

const ROUNDS = 2;
const WRITERS = 8;

interface Place {
  readonly path: string;
  readonly schema: string;
  readonly collectionId: string;
  readonly token: string;
  readonly title: string;
  readonly count: string;
}

/** What the writers know: the number that each record was last told to hold, and those that were tried since. */
type Ledger = Map<string, { acknowledged: number; tried: number[] }>;

describe('kill -9', () => {
  let folder: string;
  let environment: Record<string, string>;
  let server: ServerProcess;
  let place: Place;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-kill-'));
    environment = { CARTULARY_DATA: folder, CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
    server = await spawnServer(environment);
    place = await publish(server.address);
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  it('of the server: every acknowledged write is there after the restart', async () => {
    const ledger: Ledger = new Map();
    for (let round = 1; round <= ROUNDS; round++) {
      const writing = write(server.address, place, ledger);
      await pause(300 + 200 * Math.random());
      await server.end('SIGKILL');
      await writing.stop();
      server = await spawnServer(environment);
      await verify(server.address, place, ledger, folder);
    }
    assert.ok(ledger.size > ROUNDS, 'the writers got something done');
  });

  it('of PostgreSQL: the server answers 503 and nothing worse, comes back by itself, and nothing is lost', async () => {
    const ledger: Ledger = new Map();
    for (let round = 1; round <= ROUNDS; round++) {
      const writing = write(server.address, place, ledger);
      await pause(300 + 200 * Math.random());
      process.kill(await postmasterId(folder), 'SIGKILL');
      await pause(300);
      const statuses = await writing.stop();
      assert.deepEqual(
        [...statuses].filter((status) => status !== 200 && status !== 503),
        [],
      );
      assert.equal(server.child.exitCode, null, server.output());
      await until('it to be back', async () => (await sendTo(server.address, 'GET', '/readyz')).status === 200);
      await verify(server.address, place, ledger, folder);
    }
    assert.ok(ledger.size > ROUNDS, 'the writers got something done');
  });
});

async function publish(address: string): Promise<Place> {
  const operator = async (path: string, json: object) => {
    const reply = await sendTo(address, 'POST', `/operator/v1/applications${path}`, { token: OPERATOR_KEY, json });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const columns = [
    { name: 'Title', type: 'String', unique: true },
    { name: 'Count', type: 'Number' },
  ];
  const { application } = await operator('', {
    name: 'Kill',
    activityLogEnabled: true,
    collections: [{ name: 'Things', columns }],
  });
  const flags = { admin: true, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
  const user = await operator(`/${application.id}/users`, {
    name: 'A',
    email: 'a@example.com',
    password: 'Secret-Passw0rd',
    ...flags,
  });
  const { token } = await operator(`/${application.id}/users/${user.id}/tokens`, { name: 'kill' });
  const [collection] = application.collections;
  return {
    path: `/v1/${application.id}/collections/${collection.id}/records`,
    schema: `app_${application.id}`,
    collectionId: collection.id,
    token,
    title: collection.columns[0].id,
    count: collection.columns[1].id,
  };
}

let titles = 0;

/** Creates (alone and in batches) and updates until stopped. */
function write(address: string, { path, token, title, count }: Place, ledger: Ledger) {
  let stopped = false;
  const statuses = new Set<number>();
  const values = (n: number) => ({ [title]: string(`title ${++titles} ${Math.random()}`), [count]: number(n) });
  const note = ({ status, body }: Reply) => {
    statuses.add(status);
    if (status !== 200) return;
    for (const record of [body].flat()) ledger.set(record.id, { acknowledged: record.values[count].value, tried: [] });
  };
  const writer = async (): Promise<void> => {
    const mine: string[] = [];
    for (let n = 1; !stopped && n < 5_000; n++) {
      const id = mine.at(-1);
      const known = id === undefined ? undefined : ledger.get(id);
      const request =
        n % 3 === 0 && known !== undefined
          ? ({
              method: 'PUT',
              path: `${path}/${id}`,
              json: { values: { [count]: number(n) }, replace: n % 2 === 0 },
            } as const)
          : ({
              method: 'POST',
              path,
              json: n % 3 === 1 ? { values: values(n) } : [1, 2, 3].map(() => ({ values: values(n) })),
            } as const);
      if (request.method === 'PUT') known?.tried.push(n);
      try {
        const reply = await sendTo(address, request.method, request.path, { token, json: request.json });
        note(reply);
        if (reply.status === 200) mine.push([reply.body].flat().at(-1).id);
        else await pause(20);
      } catch {
        // The connection broke: whether it was applied is unknown, and nobody was told that it was.
        await pause(20);
      }
    }
  };
  const writers = Array.from({ length: WRITERS }, writer);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(writers);
      return statuses;
    },
  };
}

async function verify(address: string, place: Place, ledger: Ledger, folder: string): Promise<void> {
  for (const [id, { acknowledged, tried }] of ledger) {
    const { status, body } = await sendTo(address, 'GET', `${place.path}/${id}`, { token: place.token });
    assert.equal(status, 200, `${id} was acknowledged and is gone`);
    const value = body.values[place.count].value;
    assert.ok(value === acknowledged || tried.includes(value), `${id} holds ${value}, not ${acknowledged} or ${tried}`);
  }
  // Done ⇒ exactly one entry; undone ⇒ none.
  const client = new pg.Client({ host: join(folder, 'postgres/socket'), user: 'cartulary', database: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select t.id, e.entries from ${place.schema}.${place.collectionId} t full join (
         select entry::json #>> '{extra,recordId}' as id, count(*)::int as entries from ${place.schema}.activity
         where entry::json ->> 'subType' = 'create' and entry::json ->> 'type' = 'record' group by 1) e on e.id = t.id
       where t.id is null or e.entries is distinct from 1`,
    );
    assert.deepEqual(rows, []);
  } finally {
    await client.end();
  }
}

async function postmasterId(folder: string): Promise<number> {
  return Number((await readFile(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}
