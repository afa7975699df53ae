// An import that is interrupted goes on: after kill -9 of the importer, and of the server, in the middle, every row of the
// file is stored and none twice. `node bench/import-kill.mjs` does the same with 100,000 rows.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { start } from '../../support/command.ts';
import { type ServerProcess, spawnServer } from '../../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { makeScene, operatorEnvironment, type Scene } from './moving-scene.ts';

const ROWS = 2_000;
/** Not unique, so that a row that is stored twice shows. */
const COLUMNS = [
  { name: 'Code', type: 'String' },
  { name: 'Price', type: 'Number' },
];

describe('an interrupted import', () => {
  let folder: string;
  let environment: Record<string, string>;
  let server: ServerProcess;
  let scene: Scene;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-import-'));
    environment = { CARTULARY_DATA: join(folder, 'data'), CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
    server = await spawnServer(environment);
    // On restart it has to be found where it was.
    environment.CARTULARY_PORT = new URL(server.address).port;
    const { address } = server;
    scene = await makeScene(
      {
        address,
        send: (method, path, options) => sendTo(address, method, path, options),
        operator: (method, path, body) =>
          sendTo(address, method, `/operator/v1${path}`, {
            token: OPERATOR_KEY,
            ...(body === undefined ? {} : { json: body }),
          }),
      },
      ['Importer', 'Server'].map((name) => ({ name, columns: COLUMNS })),
    );
    const rows = Array.from({ length: ROWS }, (_, index) => `C${index},${index === 700 ? 'x' : index}`);
    await writeFile(join(folder, 'bikes.csv'), `Code,Price\n${rows.join('\n')}\n`);
  });
  after(async () => {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  /** Waits until the journal has so many lines of settled batches. */
  async function untilSettled(collection: string, count: number): Promise<void> {
    const journal = join(folder, `bikes.csv.${scene.app.ids[collection]?.id}.import`);
    await until(`${count} batches`, async () => {
      const text = await readFile(journal, 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line.includes('"stored"')).length >= count;
    });
  }

  async function assertWhole(collection: string): Promise<void> {
    const codes = (await scene.all(collection)).map(
      ({ values }) => values[scene.app.ids[collection]?.Code ?? '']?.value,
    );
    assert.equal(new Set(codes).size, ROWS - 1, 'none is lost');
    assert.equal(codes.length, ROWS - 1, 'none is doubled');
  }

  const options = () => ({ cwd: folder, msMax: 120_000 });

  it('goes on after kill -9 of the importer', async () => {
    const words = ['import', 'bikes.csv', 'Importer'];
    for (const settled of [2, 6]) {
      const running = scene.begin(words, options());
      await untilSettled('Importer', settled);
      running.child.kill('SIGKILL');
      await running.finished;
    }
    const other = await scene.cartulary([...words, '--decimal-comma'], options());
    assert.match(other.stderr, /An import of bikes\.csv with other options has not come to its end/);
    const last = await scene.cartulary(words, options());
    assert.match(last.stdout, /^Going on: [\d,]+ records are stored already\.$/m);
    assert.match(last.stderr, /^1 row was rejected\. They are in bikes\.rejected\.csv/m);
    await assertWhole('Importer');
    assert.match(await readFile(join(folder, 'bikes.rejected.csv'), 'utf8'), /^C700,x,702,/m);
  });

  it('goes on when it was to make the application', async () => {
    await writeFile(join(folder, 'fleet.csv'), await readFile(join(folder, 'bikes.csv')));
    const words = ['import', 'fleet.csv', '--new', 'Fleet', '--type', 'Price=String'];
    const run = { ...options(), env: operatorEnvironment(server, folder) };
    const running = start(words, run);
    await until('a few batches', async () => {
      const names = (await readdir(folder)).filter((name) => /^fleet\.csv\..*\.import$/.test(name));
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.join('').split('"stored"').length > 3;
    });
    running.child.kill('SIGKILL');
    await running.finished;
    const { code, stdout, stderr } = await start(words, run).finished;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Stored 2,000 records in Fleet/m);
    const exported = await start(['export', 'Fleet', '--columns', 'Code'], run).finished;
    const codes = exported.stdout.trim().split('\r\n').slice(1);
    assert.deepEqual([codes.length, new Set(codes).size], [ROWS, ROWS]);
  });

  it('waits for a server that was killed, and goes on by itself', async () => {
    const running = scene.begin(['import', 'bikes.csv', 'Server'], options());
    await untilSettled('Server', 2);
    await server.end('SIGKILL');
    server = await spawnServer(environment);
    const { code, stdout } = await running.finished;
    assert.equal(code, 1, 'for the row that was rejected');
    assert.match(stdout, /Stored 1,999 records in Server/);
    await assertWhole('Server');
  });
});
