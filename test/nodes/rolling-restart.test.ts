// Three servers behind a load balancer are restarted one after the other under load, and no client notices.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { string, type TestApplication } from '../support/application.ts';
import type { ServerProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { Balancer, type Sent } from './balancer.ts';
import { openScene, publishAt, type Scene } from './scene.ts';

const CLIENTS = 8;
const PAUSE_MS = 40;
/** More than the balancer needs to notice. */
const SETTINGS = { CARTULARY_DRAIN_SECONDS: '2' };

describe('a rolling restart', () => {
  let scene: Scene;
  let nodes: ServerProcess[];
  let app: TestApplication;
  let balancer: Balancer;

  before(async () => {
    scene = await openScene();
    nodes = await Promise.all(Array.from({ length: 3 }, () => scene.start(SETTINGS)));
    const columns = [
      { name: 'Title', type: 'String' },
      { name: 'File', type: 'Attachment' },
    ];
    app = await publishAt(nodes[0]!.address, [{ name: 'Things', columns }]);
    balancer = new Balancer(nodes.map(({ address }) => address));
    await until('all to be ready', () => balancer.readyNodes().length === 3);
  });
  after(async () => {
    await balancer.close();
    await scene.close();
  });

  it('of three servers makes no request fail, and loses nothing', async () => {
    const json = { values: { [app.ids.Things!.Title!]: string('first') } };
    const acknowledged: string[] = [(await app.send('POST', app.records('Things'), { json })).body.id];
    const failed: string[] = [];
    let going = true;
    let answered = 0;
    const authorization = `Bearer ${app.admin.token}`;
    const records = `/v1/${app.id}${app.records('Things')}`;
    const requests: ((n: number) => Sent)[] = [
      () => ({ method: 'GET', path: `${records}?limit=5`, headers: { authorization } }),
      (n) => ({
        method: 'POST',
        path: records,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ values: { [app.ids.Things!.Title!]: string(`thing ${n}`) } }),
      }),
      () => ({ method: 'GET', path: `${records}/${acknowledged.at(-1)}`, headers: { authorization } }),
      () => ({
        method: 'POST',
        path: `/v1/${app.id}/collections/${app.ids.Things!.id}/attachments`,
        headers: { authorization, 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' },
        body: 'x'.repeat(20_000),
      }),
    ];
    const client = async (first: number) => {
      for (let n = first; going; n += 1) {
        const sent = requests[n % requests.length]!(n);
        try {
          const { status, text } = await balancer.send(sent);
          answered += 1;
          if (status !== 200) failed.push(`${sent.method} ${sent.path}: ${status} ${text}`);
          else if (sent.method === 'POST' && sent.path === records) acknowledged.push(JSON.parse(text).id);
        } catch (error) {
          failed.push(`${sent.method} ${sent.path}: ${(error as Error).message}`);
        }
        await pause(PAUSE_MS);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, n) => client(n));
    for (const [place, node] of nodes.entries()) {
      const before = answered;
      assert.equal(await node.end('SIGTERM'), 0, node.output());
      nodes[place] = await scene.start({ ...SETTINGS, CARTULARY_PORT: new URL(node.address).port });
      await until('all to be ready again', () => balancer.readyNodes().length === 3);
      assert.ok(answered > before, 'the others served meanwhile');
    }
    going = false;
    await Promise.all(clients);
    assert.deepEqual(failed, []);
    assert.equal(balancer.refused, 0, 'it knew before the servers closed');
    assert.ok(answered > 100, `${answered} requests`);
    const stored = await scene.database.sql(`select id from app_${app.id}.${app.ids.Things!.id}`);
    const ids = new Set(stored.map(([id]) => id));
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
    );
  });
});
