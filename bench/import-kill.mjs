// @ts-check
// `node bench/import-kill.mjs [ROWS]`: imports a file while the importer and the server are killed (-9) in turn, and fails
// if a row is lost or stored twice. The suite does the same with few rows (test/cli/moving/resume.test.ts).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask } from './http-client.mjs';
import { writeCsv } from './scenario-import.mjs';

const MAIN = fileURLToPath(new URL('../dist/program/main.js', import.meta.url));
const KEY = 'import-kill-operator-key-0123456789';
const ROWS = Number(process.argv[2] ?? 100_000);
const RUNS_MAX = 100;
/** Between two kills. */
const [MS_MIN, MS_MAX] = [2_000, 6_000];

const folder = mkdtempSync(join(tmpdir(), 'ct-import-kill-'));
/** @type {Record<string, string>} */
const serverEnvironment = { CARTULARY_DATA: join(folder, 'data'), CARTULARY_OPERATOR_KEY: KEY, CARTULARY_PORT: '0' };

/** @param {readonly string[]} args @param {Record<string, string>} env */
function start(args, env) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: folder, CARTULARY_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = { child, said: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (running.said += text));
  return running;
}

async function startServer() {
  const running = start(['serve'], serverEnvironment);
  for (;;) {
    const address = /^Cartulary is ready at (http:\S+)\/v1$/m.exec(running.said)?.[1];
    if (address !== undefined) return { ...running, address };
    if (running.child.exitCode !== null) throw new Error(running.said);
    await pause(20);
  }
}

let server = await startServer();
serverEnvironment.CARTULARY_PORT = new URL(server.address).port;
try {
  const { address } = server;
  /** @param {string} path @param {object} body */
  const post = (path, body) => ask(address, { method: 'POST', path: `/operator/v1${path}`, token: KEY, body });
  const { application } = await post('/applications', {
    name: 'Killed',
    collections: [
      {
        name: 'Bikes',
        columns: [
          { name: 'Code', type: 'String', sortable: true },
          { name: 'Price', type: 'Number' },
        ],
      },
    ],
  });
  const people = `/applications/${application.id}/users`;
  const user = await post(people, {
    ...{ name: 'A', email: 'a@example.com', password: 'Passw0rd-long', admin: true, apiAccess: true },
    ...{ managementApiAccess: true, profile: { name: 'Standard' } },
  });
  const { token } = await post(`${people}/${user.id}/tokens`, { name: 'kill' });
  const file = join(folder, 'bikes.csv');
  await writeCsv(file, ROWS);
  const api = `${address}/v1/${application.id}`;
  let [kills, isServer, runs] = [0, false, 0];
  for (let ended = false; !ended; runs += 1) {
    assert.ok(runs < RUNS_MAX, 'the import does not come to its end');
    const importer = start(['import', file, 'Bikes', '--url', api], { CARTULARY_TOKEN: token });
    const end = once(importer.child, 'close').then(([code]) => ({ code }));
    for (;;) {
      const first = await Promise.race([end, pause(MS_MIN + Math.random() * (MS_MAX - MS_MIN))]);
      if (first !== undefined) {
        assert.ok(first.code === 0 || first.code === null, importer.said);
        ended = first.code === 0;
        break;
      }
      kills += 1;
      isServer = !isServer;
      if (!isServer) importer.child.kill('SIGKILL');
      else {
        const gone = once(server.child, 'exit');
        server.child.kill('SIGKILL');
        await gone;
        server = await startServer();
      }
    }
  }
  const codes = new Map();
  let [total, after] = [0, ''];
  for (;;) {
    const collection = application.collections[0];
    const path = `/v1/${application.id}/collections/${collection.id}/records?sortKey=createdAt&sortOrder=ascending${after}`;
    /** @type {{ id: string, values: Record<string, { value: string }> }[]} */
    const page = await ask(server.address, { method: 'GET', path, token });
    for (const { values } of page) {
      const code = values[collection.columns[0].id]?.value;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    total += page.length;
    if (page.length < 100) break;
    after = `&after=${page.at(-1)?.id}`;
  }
  const doubled = [...codes.values()].filter((times) => times > 1).length;
  process.stdout.write(
    `${ROWS} rows, ${kills} kills, ${runs} runs: ${total} records, ${ROWS - codes.size} lost, ${doubled} doubled\n`,
  );
  assert.equal(total, ROWS);
  assert.equal(codes.size, ROWS);
} finally {
  const gone = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await gone;
  rmSync(folder, { recursive: true, force: true });
}
