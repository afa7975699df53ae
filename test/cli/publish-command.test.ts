// What `publish` prints for people: identifiers, a first request that works as pasted, and what a change loses.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { number, publishApplication, string } from '../support/application.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const COLUMNS = [
  { name: 'Title', type: 'String' },
  { name: 'Storeys', type: 'Number' },
  { name: 'Where', type: 'Location' },
  {
    name: 'Rooms',
    type: 'Array',
    scheme: { element: { type: 'Object', scheme: { keys: [{ name: 'At', type: 'Time' }] } } },
  },
];

describe('the command publish', { concurrency: 2 }, () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  async function cartulary(args: readonly string[], input = ''): Promise<Finished> {
    let finished: Finished | undefined;
    await withFolder(async (cwd) => {
      const { hostname, port } = new URL(server.address);
      const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY, CARTULARY_HOST: hostname, CARTULARY_PORT: port };
      finished = await run(args, { cwd, input, env });
    });
    return finished!;
  }
  const publish = (document: object, ...options: string[]) =>
    cartulary(['publish', '-', ...options], JSON.stringify(document));

  it('prints the identifiers, and a request that creates a record', async () => {
    const document = { name: "Acme's buildings", collections: [{ name: 'Buildings', columns: COLUMNS }] };
    const { stdout, stderr } = await publish(document);
    assert.match(stdout, /^Collection +Column +Type +ID$/m, stderr);
    assert.match(stdout, /^Buildings +t\w{7}$/m);
    assert.match(stdout, /^ +Rooms +Array of Object +c\w{7}$/m);
    assert.match(stdout, /^Acme's buildings has no user with API access yet\. Create one, an admin:$/m);
    const [, applicationId = ''] =
      /^cartulary users create (p\w{26}) --name Ada --email ada@example\.com$/m.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`^TOKEN=\\$\\(cartulary tokens create ${applicationId} Ada --name `, 'm'));
    const made = await cartulary(
      ['users', 'create', applicationId, '--name', 'Ada', '--email', 'ada@example.com', '--password-stdin'],
      'Secret-Passw0rd',
    );
    assert.equal(made.code, 0, made.stderr);
    const token = await cartulary(['tokens', 'create', applicationId, 'Ada', '--name', 'first steps', '--token-only']);
    const [curl = ''] = /^curl .*$/m.exec(stdout) ?? [];
    const shell = promisify(execFile)('/bin/sh', ['-c', curl], { env: { ...process.env, TOKEN: token.stdout.trim() } });
    assert.match(JSON.parse((await shell).stdout).id, /^r\w{26}$/);
    const again = await publish({ ...document, id: applicationId });
    assert.match(again.stdout, /^To use it, get a token:$/m);
  });

  it('recognises a new name, and says which identifier is missing', async () => {
    const app = await publishApplication(server, { name: 'Renamed', collections: [{ name: 'A', columns: COLUMNS }] });
    await app.send('POST', app.records('A'), { json: { values: { [app.ids.A!.Storeys!]: number(3) } } });
    const columns = COLUMNS.map((column) => (column.name === 'Storeys' ? { ...column, name: 'Floors' } : column));
    const document = { id: app.id, name: 'Renamed', activityLogEnabled: true, collections: [{ name: 'A', columns }] };
    const hint = new RegExp(
      `^Column "Floors" of "A" looks like "Storeys" with another name\\. .* "id": "${app.ids.A!.Storeys}" in the`,
      'm',
    );
    const refused = await publish(document);
    assertPlain(refused, /^This would lose data:\n {2}Column "Storeys" of "A" is removed .* 1 record loses data\.$/m);
    assert.match(refused.stderr, hint);
    assert.match((await publish(document, '--dry-run')).stdout, hint);
    const whole = await publish({ ...document, collections: [{ name: 'B', columns: COLUMNS }] });
    assert.match(whole.stderr, new RegExp(`^Collection "B" looks like "A" .* "id": "${app.ids.A!.id}"`, 'm'));
  });

  it('refuses a second application of the same name, unless it is asked for', async () => {
    const document = { name: 'Bikes', collections: [{ name: 'Bikes', columns: COLUMNS }] };
    const { stdout } = await publish(document);
    const [, id = ''] = /^Bikes \((p\w{26})\) is at version 1\.$/m.exec(stdout) ?? [];
    for (const options of [[], ['--dry-run']]) {
      const refused = await publish(document, ...options);
      assertPlain(refused, new RegExp(`^The application "Bikes" exists already: ${id}\\. .* add "id": "${id}" to the`));
      assert.match(refused.stderr, / use --new\.$/m);
    }
    assert.match((await publish({ id, ...document })).stdout, /^Nothing has changed\.$/m);
    assert.match((await publish(document, '--new', '--dry-run')).stdout, /^A new application Bikes would be at /m);
    assert.match((await publish(document, '--new')).stdout, /^Bikes \(p\w{26}\) is at version 1\.$/m);
    assertPlain(await publish(document), /^2 applications are called "Bikes" already: p\w{26} and p\w{26}\. /);
  });

  it('has other names, and `applications diff` compares a document with what is published', async () => {
    const document = { name: 'Compared', collections: [{ name: 'A', columns: COLUMNS }] };
    const diff = (changed: object, ...options: string[]) =>
      cartulary(['applications', 'diff', '-', ...options], JSON.stringify(changed));
    assert.match((await diff(document)).stdout, /^\+ Application "Compared" is created\.$/m);
    const made = await cartulary(['applications', 'publish', '-'], JSON.stringify(document));
    assert.match(made.stdout, /^Compared \(p\w{26}\) is at version 1\.$/m);
    assert.equal((await diff(document)).stdout, 'Nothing would change.\n');
    const columns = [...COLUMNS.slice(1), { name: 'Height', type: 'Number' }];
    const changed = {
      ...document,
      collections: [
        { name: 'A', columns },
        { name: 'B', columns: [] },
      ],
    };
    const { stdout } = await diff(changed);
    assert.match(stdout, /^! Column "Title" of "A" is removed/m);
    assert.match(stdout, /^\+ Column "Height"/m);
    assert.match(stdout, /^\+ Collection "B"/m);
    assert.equal(JSON.parse((await diff(changed, '--json')).stdout)[0].kind.length > 0, true);
    assert.equal((await cartulary(['applications', 'delete', 'Compared', '--yes'])).stdout, 'Removed.\n');
  });

  it('says that nothing is lost if no record loses anything', async () => {
    const app = await publishApplication(server, { name: 'Empty', collections: [{ name: 'A', columns: COLUMNS }] });
    const document = { id: app.id, name: 'Empty', collections: [{ name: 'A', columns: COLUMNS.slice(1) }] };
    const refused = await publish(document);
    assertPlain(refused, /^This removes or changes what may hold data, though no record loses anything now:$/m);
    assert.doesNotMatch(refused.stderr, /would lose data|0 records/);
    assert.match((await publish(document, '--allow-data-loss')).stdout, /"Title".* No record loses anything\.$/m);
  });

  it('names the columns and values that collide', async () => {
    const app = await publishApplication(server, { name: 'Colliding', collections: [{ name: 'A', columns: COLUMNS }] });
    const json = { values: { [app.ids.A!.Title!]: string('twice') } };
    for (let count = 0; count < 2; count++) await app.send('POST', app.records('A'), { json });
    const columns = COLUMNS.map((column) => (column.name === 'Title' ? { ...column, unique: true } : column));
    const refused = await publish({ id: app.id, name: 'Colliding', collections: [{ name: 'A', columns }] });
    assertPlain(refused, /^ {2}"twice" in column "Title" of "A": r\w{26}, r\w{26}$/m);
  });
});

describe('the table of commands', () => {
  it('has an example of every command, which its help shows with the options', async () => {
    for (const { usage, examples } of COMMANDS) {
      const words = usage.split(' ').filter((word) => !/[<[]/.test(word));
      assert.ok(examples.length > 0, usage);
      for (const example of examples) assert.ok(example.startsWith(words.join(' ')), example);
    }
    const [row] = COMMANDS.filter(({ usage }) => usage.startsWith('users create'));
    await withFolder(async (cwd) => {
      const { code, stdout } = await run(['users', 'create', '--help'], { cwd });
      assert.equal(code, 0);
      for (const { flags } of row?.options ?? []) assert.ok(stdout.includes(flags), flags);
      for (const example of row?.examples ?? []) assert.ok(stdout.includes(`cartulary ${example}\n`), example);
      assert.match(stdout, /^By default the user is an admin /m);
    });
  });
});
