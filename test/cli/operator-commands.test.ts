// The operator's commands against a running server: what they print, and how they say no.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EXIT_CODES } from '../../src/cli/failure.ts';
import { publishApplication } from '../support/application.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const DOCUMENT = { name: 'Operated', collections: [{ name: 'A', columns: [{ name: 'B', type: 'String' }] }] };

describe('the commands of the operator', { concurrency: 2 }, () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  const environment = () => {
    const { hostname, port } = new URL(server.address);
    return { CARTULARY_OPERATOR_KEY: OPERATOR_KEY, CARTULARY_HOST: hostname, CARTULARY_PORT: port };
  };

  async function cartulary(args: readonly string[], input = '', env: Record<string, string> = {}): Promise<Finished> {
    let finished: Finished | undefined;
    await withFolder(async (cwd) => {
      finished = await run(args, { cwd, input, env: { ...environment(), ...env } });
    });
    return finished!;
  }

  async function good(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await cartulary(args, input);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  const publishInput = (document: object, ...options: string[]) =>
    cartulary(['publish', '-', ...options], JSON.stringify(document));

  it('help, and complain about what they do not know', async () => {
    const help = await cartulary(['--help']);
    assert.equal(help.code, 0);
    for (const command of ['serve', 'publish', 'applications', 'quotas', 'users', 'tokens', 'organizations']) {
      assert.match(help.stdout, new RegExp(`^ +${command}\\b`, 'm'));
    }
    const serve = await cartulary(['serve', '--help']);
    assert.equal(serve.code, 0);
    for (const name of ['CARTULARY_PORT', 'CARTULARY_HOST', 'CARTULARY_DATA', 'DATABASE_URL']) {
      assert.ok(serve.stdout.includes(name), name);
    }
    const unknown = await cartulary(['bake']);
    assertPlain(unknown, /unknown command 'bake'/, 'usage');
    assertPlain(await cartulary(['publish']), /missing required argument 'file'/);
    assertPlain(await cartulary(['publish', '-', '--force']), /unknown option '--force'/);
    assert.equal((await cartulary([])).code, EXIT_CODES.usage);
    const create = ['tokens', 'create', 'Field work', 'Ada'];
    assertPlain(await cartulary([...create, '--nme', 'X']), /unknown option '--nme'\n\(Did you mean --name\?\)$/m);
    assertPlain(await cartulary(create), /required option '--name <name>' not specified$/m);
    assertPlain(
      await cartulary(['users', 'create', 'Field work', '--name', 'X', '--password', 'hush']),
      /unknown option '--password'\n.* pipe it in with --password-stdin/,
    );
    for (const port of [['--port', '8080'], ['--port=8080']]) {
      assertPlain(
        await cartulary(['serve', ...port]),
        /unknown option '--port.*\n(?:.*\n)*Set CARTULARY_PORT instead, /,
      );
    }
    assertPlain(await cartulary(['serve', '--bind', 'x']), /Settings are environment variables; `serve --help` lists/);
  });

  it('tell the version', async () => {
    const { stdout, code } = await cartulary(['--version']);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+ \(build [\w-]+\)\n$/);
  });

  it('publish a file, and tell what has changed', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'application.json'), JSON.stringify({ ...DOCUMENT, name: 'From a file' }));
      const env = environment();
      const dry = await run(['publish', 'application.json', '--dry-run'], { cwd, env });
      assert.equal(dry.code, 0, dry.stderr);
      assert.match(dry.stdout, /^- Application "From a file" is created\.$/m);
      assert.match(dry.stdout, /^A new application From a file would be at version 1\.$/m);
      const list = await server.operator('GET', '/applications');
      assert.ok(!list.text.includes('From a file'));
      const done = await run(['publish', 'application.json', '--url', `${server.address}/`], {
        cwd,
        env: { CARTULARY_OPERATOR_KEY: OPERATOR_KEY },
      });
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stdout, /^From a file \(p[0-9a-v]{26}\) is at version 1\.$/m);
      assert.match(done.stdout, /^To publish changes to it, put "id": "p[0-9a-v]{26}" into the document\.$/m);
    });
  });

  it('show quotas, and change them', async () => {
    const app = await publishApplication(server, { ...DOCUMENT, plan: 'basic', limits: { 'attachments-read': 9 } });
    const lines = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));
    const shown = lines(await good(['quotas', 'show', app.id]));
    assert.match(shown[0]![0]!, /^Plan basic; the count restarts at \d{4}-\d\d-\d\dT\d\d:00:00\.000Z\.$/);
    assert.deepEqual(shown[2], ['records-read', '200', 'plan', '0', '200']);
    assert.deepEqual(shown.at(-2), ['management-write', 'not in the plan']);
    const set = (...options: string[]) => ['quotas', 'set', app.id, ...options];
    const changed = lines(
      await good(set('--plan', 'custom', '--limit', 'records-read=7', '--limit', 'records-write=none')),
    );
    assert.deepEqual(changed.slice(2, 4), [
      ['records-read', '7', 'set', '0', '7'],
      ['records-write', 'no limit', '0'],
    ]);
    assert.deepEqual(changed.at(-2), ['Set before and kept: attachments-read=9. --clear-limits removes them.']);
    const listed = lines(await good(['quotas', 'list', '--top', '1']));
    assert.deepEqual(listed[0], ['Application', 'Group', 'Limit', 'From', 'Taken', 'Left', 'Used', 'Name']);
    assert.equal(listed.length, 4);
    assert.match(listed[2]![0]!, /^The first 1 of \d+ limits; the count restarts at /);
    const cleared = JSON.parse(await good(set('--clear-limits', '--limit', 'records-write=5', '--json')));
    assert.deepEqual(
      cleared.groups.map(({ limit }: { limit: number | null }) => limit),
      [null, 5, null, null, null, null],
    );
    for (const [options, complaint] of [
      [['--limit', 'records-read=many'], /^records-read=many is not a limit/],
      [['--limit', 'records-read=99999999999'], /^records-read=99999999999.* from 0 to 1,000,000,000\.$/m],
      [['--limit', 'record-read=9'], /^--limit record-read is not known here; known are records-read, /],
      [[], /^Nothing to change; give --plan, --limit or --clear-limits\.$/m],
    ] as const) {
      assertPlain(await cartulary(set(...options)), complaint);
    }
  });

  it('publish standard input, and ask before data is lost', async () => {
    const app = await publishApplication(server, DOCUMENT);
    const title = app.ids.A!.B!;
    await app.send('POST', app.records('A'), { json: { values: { [title]: { type: 'String', value: 'x' } } } });
    const base = { ...DOCUMENT, id: app.id, activityLogEnabled: true };
    const same = await publishInput(base);
    assert.equal(same.code, 0, same.stderr);
    assert.match(same.stdout, /^Nothing has changed\.$/m);
    const without = { ...base, collections: [{ name: 'A', columns: [] }] };
    const refused = await publishInput(without);
    assertPlain(refused, /^This would lose data:\n {2}.*"B".* 1 record loses data\.\n.*--allow-data-loss/m);
    const dry = await publishInput(without, '--dry-run');
    assert.match(dry.stdout, /"B".* 1 record loses data\.\n.*would be at version 2/);
    const done = await publishInput(without, '--allow-data-loss');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, / is at version 2\./);
  });

  it('list all problems of a document', async () => {
    const wrong = await publishInput({ name: '', plan: 'gold', collections: [] });
    assertPlain(wrong, /^The document is not valid:$/m);
    assert.match(wrong.stderr, /^ {2}\/name must not be empty$/m);
    assert.match(wrong.stderr, /^ {2}\/plan must be one of .*, not "gold"$/m);
    assertPlain(await cartulary(['publish', '-'], '{"name": '), /^- is not JSON: /);
    assertPlain(await cartulary(['publish', 'missing.json']), /^Cannot read missing\.json: ENOENT/);
  });

  it('say plainly when there is no server, no key or the wrong key', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const nobody = await cartulary(['applications', 'list'], '', { CARTULARY_PORT: String(port) });
    assertPlain(
      nobody,
      new RegExp(`^No server answers at http://127\\.0\\.0\\.1:${port}\\. Is it running\\? .*--url\\.$`, 'm'),
    );
    const wrong = await cartulary(['applications', 'list'], '', {
      CARTULARY_OPERATOR_KEY: 'wrong-0123456789-0123456789-wrong',
    });
    assertPlain(
      wrong,
      /did not prove that it knows the operator key from CARTULARY_OPERATOR_KEY\. The key was not sent\./m,
    );
    await withFolder(async (cwd) => {
      const none = await run(['applications', 'list', '--url', server.address], { cwd });
      assertPlain(none, /^No operator key: set CARTULARY_OPERATOR_KEY, or CARTULARY_DATA/);
      await writeFile(join(cwd, 'file'), '');
      const file = await run(['applications', 'list', '--url', server.address], {
        cwd,
        env: { CARTULARY_DATA: 'file' },
      });
      assertPlain(file, /^Cannot use the data folder file: ENOTDIR/);
    });
    assertPlain(await cartulary(['applications', 'list', '--url', 'not an address']), /not an address/);
    const ipv6 = await cartulary(['applications', 'list'], '', { CARTULARY_HOST: '::1', CARTULARY_PORT: String(port) });
    assertPlain(ipv6, new RegExp(`^No server answers at http://\\[::1\\]:${port}\\.`));
  });

  it('refuse settings that they do not know', async () => {
    const unknown = await cartulary(['applications', 'list'], '', { CARTULARY_PROT: '1', CARTULARY_PORT: 'x' });
    assertPlain(unknown, /^CARTULARY_PROT is not a setting of Cartulary/m);
    assert.match(unknown.stderr, /^CARTULARY_PORT must be a whole number/m);
  });

  it('list and show applications', async () => {
    const app = await publishApplication(server, { name: 'Shown', collections: [] });
    const list = await good(['applications', 'list']);
    assert.ok(list.includes(app.id) && list.includes('Shown'));
    const shown = JSON.parse(await good(['applications', 'show', app.id]));
    assert.deepEqual(shown, (await server.operator('GET', `/applications/${app.id}`)).body);
    assertPlain(await cartulary(['applications', 'show', `p${'0'.repeat(26)}`]), /^There is no application p0{26}\.$/m);
  });

  it('create users, their password from standard input', async () => {
    const app = await publishApplication(server, { name: 'Users', collections: [] });
    const args = ['users', 'create', app.id, '--name', 'Hanako 花子', '--email', 'h@example.com', '--password-stdin'];
    const user = JSON.parse(await good(args, 'Secret-Passw0rd\n'));
    assert.deepEqual(user, {
      id: user.id,
      name: 'Hanako 花子',
      email: 'h@example.com',
      admin: true,
      apiAccess: true,
      managementApiAccess: true,
      organizationManagementApiAccess: false,
      profile: { name: 'Standard' },
      disabled: false,
    });
    const authorization = `Basic ${Buffer.from(`${user.id}:Secret-Passw0rd`).toString('base64')}`;
    assert.equal((await server.send('GET', `/v1/${app.id}`, { headers: { authorization } })).status, 200);
    assertPlain(
      await cartulary(args, 'Secret-Passw0rd\n'),
      /^The name "Hanako 花子" is taken: another user has it\.$/m,
    );
    assertPlain(await cartulary(args, ''), /Standard input was empty/);
    const weak = await cartulary(args, 'weak-secret\n');
    assertPlain(weak, /^The password must contain at least one uppercase letter\.$/m);
    assert.doesNotMatch(weak.stderr, /weak-secret/);
    const plain = await good([...args.with(4, 'Plain'), '--no-admin', '--no-api-access'], 'Secret-Passw0rd');
    const { admin, apiAccess, managementApiAccess } = JSON.parse(plain);
    assert.deepEqual([admin, apiAccess, managementApiAccess], [false, false, false]);
    assertPlain(await cartulary(['users', 'create', app.id]), /required option '--name <name>' not specified/);
  });

  it('create users with teams, and activate shared users', async () => {
    const teams = { teamsModeEnabled: true, teams: ['Tokyo'], sharedUsersModeEnabled: true, organization: 'Cli' };
    const { body } = await server.operator('POST', '/applications', { name: 'Teams', collections: [], ...teams });
    const person = { name: 'Taro', email: 't@example.com', password: 'Secret-Passw0rd' };
    await server.operator('POST', '/organizations/Cli/sharedUsers', person);
    const args = ['users', 'create', body.application.id, '--name', 'Taro', '--team', 'Tokyo', '--team-leader'];
    const user = JSON.parse(await good([...args, '--organization-management-api-access']));
    assert.equal(user.email, 't@example.com');
    assert.deepEqual([user.team, user.teamLeader], [{ name: 'Tokyo' }, true]);
    assert.equal(user.organizationManagementApiAccess, true);
  });

  it('create, list and revoke tokens', async () => {
    const app = await publishApplication(server, { name: 'Tokens', collections: [] });
    const made = JSON.parse(await good(['tokens', 'create', app.id, app.admin.id, '--name', 'by hand']));
    assert.equal(made.name, 'by hand');
    assert.equal((await app.send('GET', '', { token: made.token })).status, 200);
    const list = await good(['tokens', 'list', app.id, app.admin.id]);
    assert.ok(list.includes(made.id) && list.includes('by hand'));
    assert.ok(!list.includes(made.token.split('.')[1]));
    const ending = ['--name', 'ending', '--expires-at', '2099-12-31T00:00:00+09:00'];
    const ends = JSON.parse(await good(['tokens', 'create', app.id, app.admin.id, ...ending]));
    assert.equal(ends.expiresAt, '2099-12-30T15:00:00.000Z');
    assert.equal(await good(['tokens', 'revoke', app.id, app.admin.id, ends.id]), 'Revoked.\n');
    assert.equal(await good(['tokens', 'revoke', app.id, app.admin.id, made.id]), 'Revoked.\n');
    assert.equal((await app.send('GET', '', { token: made.token })).status, 401);
    assertPlain(
      await cartulary(['tokens', 'revoke', app.id, app.admin.id, made.id]),
      /^There is no token "[0-9a-v]{16}"\. /,
    );
  });

  it('put and show organizations', async () => {
    await withFolder(async (cwd) => {
      const env = environment();
      const signOn = { issuer: 'https://id.example.com', clientId: 'c' };
      await writeFile(join(cwd, 'sso.json'), JSON.stringify({ singleSignOn: { ...signOn, clientSecret: 'hush' } }));
      await writeFile(join(cwd, 'broken.json'), '{');
      const name = 'Acme / 株式会社';
      const put = await run(['organizations', 'put', name, 'sso.json'], { cwd, env });
      assert.equal(put.code, 0, put.stderr);
      const answer = JSON.parse(put.stdout);
      const redirectAddress = `${server.address}/signOn/callback/${encodeURIComponent(name)}`;
      assert.deepEqual(answer, { name, singleSignOn: { ...signOn, redirectAddress } });
      const shown = await run(['organizations', 'show', name], { cwd, env });
      assert.deepEqual(JSON.parse(shown.stdout), answer);
      const broken = await run(['organizations', 'put', name, 'broken.json'], { cwd, env });
      assertPlain(broken, /^broken\.json is not JSON/);
      const missing = await run(['organizations', 'put', name, 'missing.json'], { cwd, env });
      assertPlain(missing, /^Cannot read missing\.json/);
    });
    assertPlain(await cartulary(['organizations', 'show', 'Nobody']), /^There is no organization "Nobody"\. /);
  });
});
