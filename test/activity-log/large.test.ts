// A large export from a server of its own, while others write: complete, in order, at once, and in little memory. The
// same with a million entries is `npm run bench -- activity-log`.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { databaseUrl } from '../support/command.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { fill, period } from './log.ts';

const ENTRIES = 50_000;
/** With the heap of V8 still growing; the bench, which warms up for longer, has the bound of the interface. */
const MEMORY_BYTES_MAX = 64 * 2 ** 20;

describe('a large export', () => {
  let server: TestServer;
  let child: ServerProcess;
  let folder: string;
  let app: TestApplication;
  const at = Date.UTC(2026, 0, 1);

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }],
    });
    await fill(server.database, app.id, { at, count: ENTRIES });
    folder = await mkdtemp(join(tmpdir(), 'ct-export-'));
    child = await spawnServer({
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      DATABASE_URL: databaseUrl(server.database),
    });
  });
  after(async () => {
    await child.end('SIGTERM');
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const memory = async (): Promise<number | undefined> => {
    const status = await readFile(`/proc/${child.child.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  };

  /** How many lines it had, and whether each was the one that had to follow. */
  async function read(start: number, end: number): Promise<{ lines: number; ordered: boolean }> {
    const headers = { authorization: `Bearer ${app.admin.token}` };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${child.address}/v1/${app.id}${period(start, end)}`, { headers }, resolve).on('error', reject);
    });
    assert.equal(response.statusCode, 200);
    let rest = '';
    let lines = 0;
    let ordered = true;
    for await (const chunk of response.setEncoding('utf8')) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        ordered &&= line.startsWith(`{"date":"${new Date(start + lines).toISOString()}"`);
        lines++;
      }
    }
    assert.equal(rest, '');
    return { lines, ordered };
  }

  it('is complete, in order and takes little memory while others write', async () => {
    await read(at, at + 10_000);
    let stopped = false;
    let written = 0;
    const writing = (async () => {
      const json = { values: { [app.ids.Visits!.Title!]: string('a') } };
      const path = `/v1/${app.id}${app.records('Visits')}`;
      for (; !stopped && written < 20_000; written++) {
        const { status } = await sendTo(child.address, 'POST', path, { token: app.admin.token, json });
        assert.equal(status, 200);
      }
    })();
    const idle = await memory();
    let most = idle ?? 0;
    const watch = setInterval(async () => (most = Math.max(most, (await memory()) ?? 0)), 20);
    const { lines, ordered } = await read(at, at + ENTRIES);
    clearInterval(watch);
    stopped = true;
    await writing;
    assert.deepEqual({ lines, ordered }, { lines: ENTRIES, ordered: true });
    assert.ok(written > 10, `${written} were written meanwhile`);
    if (idle !== undefined) assert.ok(most - idle < MEMORY_BYTES_MAX, `${(most - idle) / 2 ** 20} MB`);
  });
});
