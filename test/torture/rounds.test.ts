// Short rounds of `npm run torture`, with a seed that reaches every kind of fault that needs neither root nor a restart, and
// a round with which something is wrong, which the checks have to notice.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';
import { sendTo } from '../support/server.ts';

interface Cluster {
  readonly nodes: readonly { readonly address: string }[];
  sql(text: string, params?: unknown[]): Promise<unknown[][]>;
  close(): Promise<void>;
}
interface Scene {
  readonly id: string;
  readonly token: string;
  records(collection: string): string;
}
interface Round {
  readonly met: ReadonlyMap<string, number>;
  readonly checked: ReadonlyMap<string, number>;
  readonly tally: { requests: number; internalErrors: number; violations: string[] };
}

const { openCluster } = await import(rootPath('torture/cluster.mjs').href);
const { prepareClock } = await import(rootPath('torture/faults.mjs').href);
const { COLUMN, REGISTERS } = await import(rootPath('torture/scene.mjs').href);
const { runRound } = await import(rootPath('torture/round.mjs').href);

const ROUNDS: readonly (readonly string[])[] = [
  ['kill a node', 'mute requests'],
  ['kill the database', 'cut clients'],
  ['kill a backend', 'mute results', 'clock step of a node'],
  ['stop a node', 'black hole of the database', 'failing fsync of files'],
];
const SHORT = { clients: 4, faults: 2, paceMs: 30, holdMs: 300, isPlain: true };

describe('torture', () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await openCluster({ nodes: 2, disks: false });
    await prepareClock(cluster);
  });
  after(() => cluster?.close());

  for (const [index, only] of ROUNDS.entries()) {
    it(`loses nothing: ${only.join(', ')}`, async () => {
      const { met, checked, tally }: Round = await runRound(cluster, { ...SHORT, seed: 20 + index, only });
      assert.deepEqual(tally.violations, []);
      assert.equal(tally.internalErrors, 0);
      assert.ok(met.size > 0, 'a fault met something');
      assert.ok(tally.requests > 50, `${tally.requests} requests`);
      for (const what of [
        'records against the model',
        'entries of the activity log',
        'histories of registers',
        'users',
      ]) {
        assert.ok((checked.get(what) ?? 0) > 0, what);
      }
    });
  }

  it('notices what is lost, changed, doubled and unlogged', async () => {
    const meddle = async ({ id, token, records }: Scene) => {
      const schema = `app_${id}`;
      const ids = await cluster.sql(`select id from ${schema}.tthings0 order by id limit 12`);
      const [changed, unlogged, ...lost] = ids.flat();
      await cluster.sql(`update ${schema}.tthings0 set rec = replace(rec, '"w', '"v') where id = $1`, [changed]);
      await cluster.sql(`delete from ${schema}.activity where entry like '%' || $1 || '%'`, [unlogged]);
      await cluster.sql(`delete from ${schema}.tthings0 where id = any($1)`, [lost]);
      await cluster.sql(`delete from ${schema}.tclaims0`);
      await cluster.sql(`update ${schema}.users set name = 'Stranger' where name = 'Admin'`);
      const values = {
        [COLUMN.register]: { type: 'String', value: 'register1' },
        [COLUMN.value]: { type: 'Number', value: 777_777 },
      };
      const path = `${records(REGISTERS)}/upsert/${COLUMN.register}`;
      const written = await sendTo(cluster.nodes[0]?.address ?? '', 'PATCH', path, { token, json: { values } });
      assert.equal(written.status, 200);
    };
    const { tally }: Round = await runRound(cluster, { ...SHORT, seed: 30, only: ['cut clients'], meddle });
    const found = tally.violations.join('\n');
    for (const sign of [
      /is lost; it should be/,
      /nobody created v/,
      /what is stored does not agree/,
      /0 entries for 1|has not one entry for its creation/,
      /nobody made the user Stranger/,
      /is not linearizable/,
      /was acknowledged and is lost/,
    ]) {
      assert.match(found, sign);
    }
  });
});
