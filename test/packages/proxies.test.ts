// The configurations for Caddy and nginx, run with the real programs before three nodes: TLS, HTTP/2, compressed replies,
// streamed files, and a node that dies.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { openScene, publishAt, type Scene } from '../nodes/scene.ts';
import type { TestApplication } from '../support/application.ts';
import { string } from '../support/application.ts';
import { fetchChecked } from '../support/http-client.ts';
import type { ServerProcess } from '../support/process.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';
import { ask, type Exchange, endProxy, type FrontProxy, openSession, startCaddy, startNginx } from './proxy.ts';
import { findTool } from './tools.ts';

const KIB = 1024;
const COLUMNS = Array.from({ length: 60 }, (_, n) => ({ name: `Column ${n}`, type: 'String' }));
const COLLECTIONS = [
  { name: 'Things', columns: [{ name: 'Title', type: 'String' }, { name: 'File', type: 'Attachment' }, ...COLUMNS] },
];

for (const [name, start] of [
  ['caddy', startCaddy],
  ['nginx', startNginx],
] as const) {
  const program = findTool(name);
  const lacks = program === undefined || (name === 'nginx' && findTool('openssl') === undefined);

  describe(`${name} before three nodes`, { skip: lacks ? `${name} is not on this machine` : false }, () => {
    let scene: Scene;
    let nodes: ServerProcess[];
    let app: TestApplication;
    let folder: string;
    let proxy: FrontProxy;
    let session: ClientHttp2Session;
    let bearer: Record<string, string>;

    before(async () => {
      scene = await openScene();
      const settings = {
        CARTULARY_TRUSTED_PROXIES: '127.0.0.1',
        CARTULARY_PUBLIC_URL: 'https://localhost',
        CARTULARY_DRAIN_SECONDS: '4',
      };
      const first = await scene.start(settings);
      nodes = [first, ...(await Promise.all([scene.start(settings), scene.start(settings)]))];
      app = await publishAt(first.address, COLLECTIONS);
      bearer = { authorization: `Bearer ${app.admin.token}` };
      folder = await mkdtemp(join(tmpdir(), 'ct-proxy-'));
      const hosts = nodes.map(({ address }) => new URL(address).host);
      proxy = await start(program ?? '', folder, hosts);
      session = await openSession(proxy);
    });
    after(async () => {
      session?.destroy();
      if (proxy !== undefined) await endProxy(proxy);
      await scene?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('speaks HTTP/2 over TLS with a certificate that is checked, and uses every node', async () => {
      assert.equal(session.alpnProtocol, 'h2');
      assert.ok(session.encrypted);
      const replies = await Promise.all(
        Array.from({ length: 60 }, () => ask(session, { ':path': `/v1/${app.id}`, ...bearer })),
      );
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
      const ids = replies.map(({ headers }) => String(headers['x-request-id']).split('-')[0]);
      assert.equal(new Set(ids).size, 3);
    });

    it('passes compressed replies on with their ETag, and compresses nothing that a node does not', async () => {
      const path = `/v1/${app.id}`;
      const plain = await ask(session, { ':path': path, ...bearer });
      assert.ok(plain.body.length > 4 * KIB);
      assert.equal(plain.headers['content-encoding'], undefined);
      const short = await ask(session, { ':path': path, ...bearer, 'accept-encoding': 'br' });
      assert.equal(short.headers['content-encoding'], 'br');
      assert.deepEqual(brotliDecompressSync(short.body), plain.body);
      const direct = await fetchChecked(`${nodes[0]?.address}${path}`, {
        headers: { ...bearer, 'accept-encoding': 'br' },
      });
      assert.equal(short.headers.etag, direct.headers.get('etag') ?? undefined);
      // Replies to the operator may hold secrets.
      const head = { authorization: `Bearer ${OPERATOR_KEY}`, 'accept-encoding': 'gzip, br, zstd' };
      const secret = await ask(session, { ':path': `/operator/v1/applications/${app.id}`, ...head });
      assert.equal(secret.status, 200);
      assert.ok(secret.body.length > 4 * KIB);
      assert.equal(secret.headers['content-encoding'], undefined);
    });

    it('streams a large file in both directions, and takes a long search', async () => {
      const collection = `/v1/${app.id}/collections/${app.ids.Things?.id}`;
      const bytes = Buffer.alloc(3 * KIB * KIB, 'large file ');
      const head = { ':method': 'POST', 'content-type': 'application/octet-stream' };
      const stored = await ask(session, { ...head, ':path': `${collection}/attachments`, ...bearer }, bytes);
      assert.equal(stored.status, 200, stored.body.toString());
      const { id } = JSON.parse(stored.body.toString()) as { id: string };
      const fetched = await ask(session, { ':path': `${collection}/attachments/${id}`, ...bearer });
      assert.ok(fetched.body.equals(bytes));
      const search = encodeURIComponent(`Title:"${'x'.repeat(900)}"`);
      const found = await ask(session, { ':path': `${collection}/records?search=${search}`, ...bearer });
      assert.ok([200, 400].includes(found.status), `it came to a node: ${found.status}`);
      assert.ok(found.headers['x-request-id']);
    });

    /** Creates a record. */
    function create(): Promise<Exchange> {
      const json = JSON.stringify([{ values: { [app.ids.Things?.Title ?? '']: string('a title') } }]);
      const head = { ':method': 'POST', 'content-type': 'application/json', ...bearer };
      return ask(session, { ':path': `/v1/${app.id}${app.records('Things')}`, ...head }, Buffer.from(json));
    }

    it('goes on without a node that was killed', async () => {
      await nodes[2]?.end('SIGKILL');
      for (let n = 0; n < 30; n++) {
        const reply = await ask(session, { ':path': `/v1/${app.id}`, ...bearer });
        assert.equal(reply.status, 200, reply.body.toString());
      }
      // A write on a connection that breaks may have been applied, so that no proxy sends it again.
      await until('writes', async () => (await create()).status === 200);
      for (let n = 0; n < 10; n++) assert.equal((await create()).status, 200);
    });

    // nginx has no readiness checks.
    if (name === 'caddy') {
      it('loses no write while a node is stopped in order', async () => {
        let stopped = false;
        const stopping = nodes[1]?.end('SIGTERM').then(() => {
          stopped = true;
        });
        while (!stopped) assert.equal((await create()).status, 200);
        await stopping;
      });
    }
  });
}
