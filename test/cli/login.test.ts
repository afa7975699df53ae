// Logging in on the command line: what is kept and where, which login a command uses, and how it says no.

import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configFolder } from '../../src/cli/profiles.ts';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { assertPlain, run } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openTerminal, type Terminal } from '../support/user-command.ts';

describe('logging in on the command line', { concurrency: 2 }, () => {
  let server: TestServer;
  let app: TestApplication;
  let ada: Person;
  const terminals: Terminal[] = [];

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      name: 'Field work',
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }],
    });
    ada = await app.addPerson('Ada', { email: 'ada@example.com' });
  });
  after(async () => {
    for (const terminal of terminals) await terminal.close();
    await server.close();
  });

  const terminal = async (): Promise<Terminal> => {
    const opened = await openTerminal(server);
    terminals.push(opened);
    return opened;
  };
  const tokensOf = async ({ id }: Person): Promise<{ id: string; name: string }[]> =>
    (await app.send('GET', `/users/${id}/tokens`)).body;
  const fileOf = ({ folder }: Terminal) => join(folder, 'config', 'cartulary', 'profiles.json');

  it('makes a token with the password, keeps it for the user alone, and revokes it', async () => {
    const mine = await terminal();
    // Other tests give tokens to Ada meanwhile.
    const bea = await app.addPerson('Bea', { email: 'bea@example.com' });
    const before = (await tokensOf(bea)).length;
    const link = `${server.address}/console/${app.id}`;
    const said = await mine.good(['login', link, '--user', 'bea@example.com', '--password-stdin'], `${bea.password}\n`);
    assert.match(said, /^Logged in to Field work at http:\S+ as Bea \(u\w{7}\)\.\nThe profile field-work keeps it/);
    const kept = await readFile(fileOf(mine), 'utf8');
    assert.ok(!kept.includes(bea.password));
    assert.equal((await stat(fileOf(mine))).mode & 0o777, 0o600);
    assert.equal((await stat(join(fileOf(mine), '..'))).mode & 0o777, 0o700);
    const tokens = await tokensOf(bea);
    assert.equal(tokens.length, before + 1);
    assert.match(tokens.at(-1)!.name + tokens[0]!.name, /command line on /);
    const who = await mine.good(['whoami']);
    assert.match(
      who,
      new RegExp(`^User +Bea \\(${bea.id}\\)\\nRights +API\\nApplication +Field work \\(${app.id}\\)\\n`),
    );
    assert.equal(JSON.parse(await mine.good(['whoami', '--json'])).profile, 'field-work');
    // Logging in again replaces the token.
    await mine.login(app, bea);
    assert.equal((await tokensOf(bea)).length, before + 1);
    assert.match(await mine.good(['logout']), /^Logged out of Field work\. Its token is revoked\.$/m);
    assert.equal((await tokensOf(bea)).length, before);
    const out = await mine.run(['whoami']);
    assertPlain(out, /^You are not logged in\. `cartulary login` asks/m, 'noRight');
  });

  it('leaves no token valid that it cannot keep', async () => {
    const mine = await terminal();
    const cleo = await app.addPerson('Cleo', { email: 'cleo@example.com' });
    const before = (await tokensOf(cleo)).length;
    await writeFile(join(mine.folder, 'config'), 'not a folder');
    const link = `${server.address}/console/${app.id}`;
    const refused = await mine.run(['login', link, '--user', cleo.id, '--password-stdin'], `${cleo.password}\n`);
    assertPlain(refused, /config/, 'failed');
    assert.equal((await tokensOf(cleo)).length, before);
  });

  it('takes a token from standard input, and leaves it valid', async () => {
    const mine = await terminal();
    const token = ['--token-stdin', '--profile', 'night'];
    await mine.good(['login', server.address, '--application', app.id, ...token], `${ada.token}\n`);
    assert.match(
      await mine.good(['profiles']),
      /^ +Profile +Application +User +Server\n\* +night +Field work +Ada +http/,
    );
    assert.match(await mine.good(['logout']), /The token that you gave stays valid\.$/m);
    assert.equal((await app.send('GET', '', { token: ada.token })).status, 200);
    const wrong = await mine.run(['login', server.address, '--application', app.id, '--token-stdin'], 'a.b');
    assertPlain(wrong, /refused the token from standard input/, 'noRight');
  });

  it('uses the profile, application or token that a command names', async () => {
    const mine = await terminal();
    const other = await publishApplication(server, { name: 'Other things', collections: [] });
    await mine.login(app, ada);
    await mine.login(other, other.admin, '--profile', 'second');
    const userOf = async (args: string[], env = {}) =>
      JSON.parse(await mine.good(['whoami', '--json', ...args], '', env));
    assert.equal((await userOf([])).application.name, 'Other things');
    assert.equal((await userOf(['--profile', 'field-work'])).user.name, 'Ada');
    assert.equal((await userOf(['--application', 'field WORK'])).user.name, 'Ada');
    assert.equal((await userOf([], { CARTULARY_PROFILE: 'field-work' })).user.name, 'Ada');
    const link = ['--url', `${server.address}/v1/${app.id}`];
    assert.equal((await userOf(link, { CARTULARY_TOKEN: app.admin.token })).user.name, 'Admin');
    await mine.good(['profiles', 'field-work']);
    assert.equal((await userOf([])).user.name, 'Ada');
    assertPlain(
      await mine.run(['whoami', '--profile', 'secnd']),
      /no login profile "secnd"\. Did you mean "second"\?/,
      'notFound',
    );
    assertPlain(
      await mine.run(['whoami', '--url', 'http://127.0.0.1:9']),
      /its token goes to no other address/,
      'usage',
    );
    assertPlain(
      await mine.run(['whoami'], '', { CARTULARY_TOKEN: 'no.such', CARTULARY_PROFILE: 'second' }),
      /refused the token from CARTULARY_TOKEN: .* Set another one\.$/m,
      'noRight',
    );
  });

  it('says plainly what is wrong', async () => {
    const mine = await terminal();
    const at = (address: string, ...more: string[]) => ['login', address, '--application', app.id, ...more];
    const password = ['--user', ada.id, '--password-stdin'];
    assertPlain(
      await mine.run(at(server.address, ...password), 'wrong'),
      /^The server refused the user or the password\.$/m,
      'noRight',
    );
    assertPlain(await mine.run(at(server.address)), /^There is no terminal to ask on: give --user\.$/m, 'usage');
    assertPlain(await mine.run(['login']), /^There is no terminal to ask on: give an address\.$/m, 'usage');
    assertPlain(await mine.run(at(server.address, '--user', 'Ada')), /^Ada is neither the ID of a user/m, 'usage');
    assertPlain(
      await mine.run(at('http://records.example.com:1', ...password), 'x'),
      /cannot be resolved|is another machine/m,
    );
    assertPlain(
      await mine.run(at('http://192.0.2.1', ...password), 'x'),
      /over plain HTTP the password or token could be read/,
      'usage',
    );
    assertPlain(await mine.run(at('nowhere', ...password), 'x'), /^nowhere is not the address of a server/, 'usage');
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    assertPlain(
      await mine.run(at(`http://127.0.0.1:${port}`, ...password), 'x'),
      /^No server answers at http:\S+\. Is it running\?/,
      'unavailable',
    );
    const stranger = createServer((_request, response) => response.writeHead(404).end('<h1>Not here</h1>'));
    stranger.listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    assertPlain(
      await mine.run(at(elsewhere, ...password), 'x'),
      /replied with status 404, and not as a Cartulary server does\. Is the address right\?$/m,
      'notFound',
    );
    stranger.close();
    for (const reply of ['null', '[]', '{}', '{"collections":[]}']) {
      const other = createServer((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(reply),
      );
      other.listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const place = ['--url', url, '--application', app.id];
      const commands = [['whoami'], ['logs', 'export'], ...(/coll/.test(reply) ? [] : [['records', 'list', 'Visits']])];
      for (const command of commands) {
        const finished = await mine.run([...command, ...place], '', { CARTULARY_TOKEN: 'some.token' });
        assertPlain(finished, /replied with something other than a Cartulary server does\. Is it one\?$/m, 'failed');
        assert.equal(finished.stdout, '');
      }
      other.close();
    }
    const none = `p${'0'.repeat(26)}`;
    assertPlain(
      await mine.run(['login', server.address, '--application', none, ...password], 'x'),
      /^There is no application p0+ at/,
      'notFound',
    );
    assertPlain(
      await mine.run(['login', server.address, '--application', 'Field work']),
      /names can be looked up only with the operator key/,
      'usage',
    );
    // Such as the one in the folder where the command runs.
    const foreignKey = { CARTULARY_OPERATOR_KEY: 'k'.repeat(43) };
    assertPlain(
      await mine.run(['login', server.address, '--application', 'Field work'], undefined, foreignKey),
      /^Field work is not the ID of an application, and names can be looked up only with the operator key\./,
      'usage',
    );
  });

  it('reports a token that was revoked, and a server that is gone', async () => {
    const mine = await terminal();
    await mine.login(app, ada);
    const { profiles } = JSON.parse(await readFile(fileOf(mine), 'utf8'));
    const { tokenId } = profiles['field-work'];
    assert.equal((await app.send('DELETE', `/users/${ada.id}/tokens/${tokenId}`)).status, 204);
    assertPlain(
      await mine.run(['whoami']),
      /refused the token from the profile field-work: it was revoked.*`cartulary login` makes a new one/,
      'noRight',
    );
    assert.match(await mine.good(['logout']), /^Logged out/);
  });

  it('closes a file that others could read, and says what is wrong with one', async () => {
    const mine = await terminal();
    await mine.login(app, ada);
    await chmod(fileOf(mine), 0o644);
    assert.match((await mine.run(['profiles'])).stderr, /^Warning: other accounts could read /);
    assert.equal((await stat(fileOf(mine))).mode & 0o777, 0o600);
    await writeFile(fileOf(mine), '{');
    assertPlain(await mine.run(['profiles']), /profiles\.json, cannot be read: .* Delete it and log in again\.$/m);
    const blocked = await terminal();
    await writeFile(join(blocked.folder, 'config'), '');
    const refused = await blocked.run(['login', server.address, '--application', app.id, '--token-stdin'], ada.token);
    assertPlain(refused, /^Cannot keep the login profile in .*: /, 'failed');
  });

  it('keeps logins where the platform keeps settings', async () => {
    assert.equal(configFolder({ XDG_CONFIG_HOME: '/c' }, 'linux'), '/c/cartulary');
    assert.equal(configFolder({ HOME: '/h' }, 'linux'), '/h/.config/cartulary');
    assert.equal(configFolder({ HOME: '/h' }, 'darwin'), '/h/Library/Application Support/cartulary');
    assert.match(configFolder({ APPDATA: 'C:\\r' }, 'win32'), /^C:\\r.cartulary$/);
  });

  it('lets a user with management access manage people without the operator key', async () => {
    const mine = await terminal();
    await mine.login(app, app.admin);
    assert.match(
      await mine.good(['users', 'list', 'Field work', '--name', 'AD']),
      /^Ada +u\w{7} +ada@example\.com +API /m,
    );
    const create = [
      'users',
      'create',
      'Field work',
      '--name',
      'Grace',
      '--email',
      'g@example.com',
      '--no-admin',
      '--password-stdin',
    ];
    assert.equal(JSON.parse(await mine.good(create, 'Secret-Passw0rd')).name, 'Grace');
    await mine.good(['users', 'update', 'Field work', 'g@example.com', '--email', 'grace@example.com']);
    await mine.good(['users', 'set-password', 'Field work', 'Grace', '--password-stdin'], 'Other-Passw0rd');
    const token = await mine.good(['tokens', 'create', 'Field work', 'Grace', '--name', 'x', '--token-only']);
    assert.equal((await app.send('GET', '', { token: token.trim() })).status, 200);
    assert.match(await mine.good(['tokens', 'list', 'Field work', 'Grace']), /^x +\w+ +Grace/m);
    await mine.good(['tokens', 'revoke', 'Field work', 'Grace', 'x']);
    await mine.good(['users', 'delete', 'Field work', 'Grace', '--yes']);
    assertPlain(await mine.run(['users', 'show', 'Field work', 'Grace']), /^There is no user "Grace"/, 'notFound');
    assertPlain(await mine.run([...create.slice(0, 8), '--login', 'x', '--password-stdin'], 'x'), /login profile "x"/);
    await mine.login(app, ada);
    assertPlain(await mine.run(['users', 'list', 'Field work']), /management access/, 'noRight');
    assert.match(await mine.good(['collections', 'list', 'Field work']), /^Visits/m);
    await mkdir(join(mine.folder, 'data'), { recursive: true });
    const key = await run(['users', 'list', 'x'], { cwd: join(mine.folder, 'data') });
    assertPlain(key, /^No operator key: set CARTULARY_OPERATOR_KEY/, 'noRight');
  });
});
