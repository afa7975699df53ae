// The commands for people: names and e-mail addresses wherever an identifier can stand, what they print, and how they say no.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { askPassword } from '../../src/cli/commands/passwords.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Secret-Passw0rd';

describe('the commands for people', { concurrency: 2 }, () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      name: 'Field work',
      organization: 'Acme',
      profiles: ['Standard', 'Office'],
      collections: [{ name: 'Visits', columns: [{ name: 'Site', type: 'String', searchable: true }] }],
    });
    for (const name of ['Twin', 'twin']) await publishApplication(server, { name, collections: [] });
    for (const [name, email] of [
      ['Grace', 'grace@example.com'],
      ['username', 'same@example.com'],
      ['Same', 'same@example.com'],
    ]) {
      const rights = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
      const body = { name, email, password: PASSWORD, ...rights };
      assert.equal((await server.operator('POST', `/applications/${app.id}/users`, body)).status, 200);
    }
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

  async function good(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await cartulary(args, input);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  const signsIn = async (userId: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
    return (await server.send('GET', `/v1/${app.id}`, { headers: { authorization } })).status === 200;
  };

  it('list users as a table, and find them', async () => {
    const list = await good(['users', 'list', 'field WORK']);
    assert.match(list, /^Name +ID +E-mail +Rights +Profile +State$/m);
    assert.match(
      list,
      /^Admin +u\w{7} +person@example\.com +admin, API, management, organization +Standard +enabled$/m,
    );
    const found = JSON.parse(await good(['users', 'list', 'Field work', '--email', 'SAME@', '--json']));
    assert.deepEqual(
      found.map(({ name }: { name: string }) => name),
      ['Same', 'username'],
    );
    const one = await cartulary(['users', 'list', 'Field work', '--top', '1']);
    assert.match(one.stderr, /^There are more; --top lists as many as you say\.$/m);
    assert.equal(await good(['users', 'list', app.id, '--name', 'Zoe']), 'There are no such users.\n');
  });

  it('take a name, an e-mail address or an identifier, and say which of several', async () => {
    const shown = JSON.parse(await good(['users', 'show', 'Field work', 'GRACE@example.com', '--json']));
    assert.equal(shown.name, 'Grace');
    assert.match(await good(['users', 'show', app.id, shown.id]), /^Name +Grace$/m);
    // It has the form of an identifier.
    assert.match(await good(['users', 'show', app.id, 'username']), /^E-mail +same@example\.com$/m);
    const several = await cartulary(['users', 'show', app.id, 'same@example.com']);
    assertPlain(several, /^"same@example\.com" names more than one user\. Give the identifier of one:$/m);
    assert.match(several.stderr, /^ {2}Same {2}u\w{7} {2}same@example\.com\n {2}username {2}u\w{7} {2}same@/m);
    assertPlain(
      await cartulary(['users', 'show', app.id, 'Grase']),
      /^There is no user "Grase"\. Did you mean "Grace"\?$/m,
    );
    assertPlain(
      await cartulary(['users', 'show', app.id, 'grcae@example.com']),
      /^There is no user "grcae@example\.com"\. Did you mean "grace@example\.com"\?$/m,
    );
    const unlike = await cartulary(['tokens', 'create', app.id, 'nobody@example.com', '--name', 'x']);
    assertPlain(unlike, /^There is no user "nobody@example\.com"\. There are "/);
    assertPlain(
      await cartulary(['users', 'list', 'Feld work']),
      /^There is no application "Feld work"\. Did you mean "Field work"\?$/m,
    );
    assert.match(await good(['users', 'list', 'twin']), /Admin/);
    assertPlain(await cartulary(['users', 'list', 'TWIN']), /names more than one application/);
    assertPlain(await cartulary(['shared-users', 'list', 'Acne']), /Did you mean "Acme"\?/);
    assert.match(await good(['collections', 'list', 'Field work', 'visits']), /^ +Site +String, searchable +c\w{7}$/m);
  });

  it('change, disable, enable and delete users', async () => {
    const args = ['--name', 'Bob', '--email', 'bob@example.com', '--password-stdin', '--no-admin'];
    const made = await cartulary(['users', 'create', 'Field work', ...args], PASSWORD);
    const { id } = JSON.parse(made.stdout);
    assert.match(made.stderr, /^Created Bob \(u\w{7}\) in Field work: not an admin, with API access\.\n$/);
    const update = ['users', 'update', 'Field work', 'Bob'];
    assert.match(
      await good([...update, '--email', 'bob@example.org', '--admin', '--profile', 'Office']),
      /^Updated Bob \(u\w{7}\): an admin with API access\.$/m,
    );
    const { body } = await server.operator('GET', `/applications/${app.id}/users/${id}`);
    assert.deepEqual([body.email, body.admin, body.profile], ['bob@example.org', true, { name: 'Office' }]);
    assertPlain(
      await cartulary([...update, '--profile', 'Gold']),
      /^The application has no profile "Gold"\. Its profiles are Standard and Office\.$/m,
    );
    assertPlain(await cartulary([...update, '--email', 'bob']), /^--email must be an e-mail address\.$/m);
    assertPlain(await cartulary([...update, '--team', 'x']), /^--team must not be given while team mode is off\.$/m);
    assertPlain(await cartulary(update), /^Nothing to change; give an option/);
    assert.match(await good([...update, '--no-api-access']), /: an admin without API access\.$/m);
    assert.match(await good(['users', 'disable', 'Field work', 'bob@example.org']), /^Bob \(u\w{7}\) is disabled: /);
    assert.ok(!(await signsIn(id, PASSWORD)));
    assert.match(await good(['users', 'enable', 'Field work', 'Bob']), / is enabled\.$/m);
    assertPlain(await cartulary(['users', 'delete', 'Field work', 'Bob']), /required option '--yes' not specified/);
    assert.match(await good(['users', 'delete', 'Field work', 'Bob', '--yes']), /^Deleted Bob \(u\w{7}\)\.$/m);
    assertPlain(
      await cartulary(['users', 'disable', 'Field work', 'Admin']),
      /^Nothing was changed: the application would be left without an admin who has management access\.$/m,
    );
  });

  it('give management access without being asked only to admins, and say what it amounts to', async () => {
    const { id } = await publishApplication(server, { name: 'Rights', collections: [] });
    const create = async (name: string, ...options: string[]) => {
      const args = ['--name', name, '--email', `${name}@example.com`, '--password-stdin', ...options];
      return (await cartulary(['users', 'create', id, ...args], PASSWORD)).stderr;
    };
    assert.match(await create('chief'), /: an admin with API and management access\.$/m);
    assert.match(await create('clerk', '--no-admin'), /: not an admin, with API access\.$/m);
    assert.match(
      await create('keeper', '--no-admin', '--management-api-access'),
      /: not an admin, with API and management access, by which the user can become an admin\.$/m,
    );
    // An update changes only what it names.
    assert.match(
      await good(['users', 'update', id, 'chief', '--no-admin']),
      /, by which the user can become an admin\.$/m,
    );
    assert.match(await create('guest', '--no-management-api-access'), /: an admin with API access\.$/m);
  });

  it('warn of an e-mail address that other users have, who then cannot sign in by it', async () => {
    const { id } = await publishApplication(server, { name: 'Addresses', collections: [] });
    const signsInByEmail = async (email: string) =>
      (await server.send('POST', `/v1/${id}/session`, { json: { email, password: PASSWORD } })).status;
    const create = async (name: string, email: string) => {
      const args = ['--name', name, '--email', email, '--password-stdin'];
      return (await cartulary(['users', 'create', id, ...args], PASSWORD)).stderr;
    };
    assert.doesNotMatch(await create('Ida', 'ida@example.com'), /Warning/);
    // It contains the other one.
    assert.doesNotMatch(await create('Frida', 'frida@example.com'), /Warning/);
    assert.equal(await signsInByEmail('ida@example.com'), 200);
    assert.match(
      await create('Ida again', 'IDA@example.com'),
      /^Warning: 1 other user has the address IDA@example\.com too\. .*none of them can sign in by e-mail, only by user ID\.$/m,
    );
    assert.equal(await signsInByEmail('ida@example.com'), 401);
    const update = ['users', 'update', id, 'Frida'];
    assert.match((await cartulary([...update, '--email', 'ida@example.com'])).stderr, /^Warning: 2 other users have /m);
    assert.equal((await cartulary([...update, '--no-admin'])).stderr, '');
    const shared = async (name: string) => {
      const args = ['--name', name, '--email', 'lin@example.com', '--password-stdin'];
      return (await cartulary(['shared-users', 'create', 'Acme', ...args], PASSWORD)).stderr;
    };
    assert.doesNotMatch(await shared('Lin'), /Warning/);
    assert.match(await shared('Lin 2'), /^Warning: 1 other user has the address lin@example\.com too\. /m);
  });

  it('set passwords from standard input, and ask for them where there is a terminal', async () => {
    const person = await app.addPerson('Forgetful');
    const args = ['users', 'set-password', 'Field work', 'Forgetful'];
    assert.match(
      await good([...args, '--password-stdin'], 'Other-Passw0rd\n'),
      /^Forgetful \(.*\) has a new password\.$/m,
    );
    assert.ok(await signsIn(person.id, 'Other-Passw0rd'));
    assertPlain(
      await cartulary(args),
      /^A password is needed: pipe it in with --password-stdin, or run the command on/,
    );
    const typed = async (...lines: string[]) => {
      const terminal = new PassThrough();
      let shown = '';
      const write = (text: unknown) => {
        shown += text;
        if (String(text).endsWith(': ')) terminal.write(`${lines.shift()}\r`);
        return true;
      };
      const password = await askPassword(terminal, { write } as NodeJS.WritableStream);
      return { password, shown };
    };
    const { password, shown } = await typed(PASSWORD, PASSWORD);
    assert.equal(password, PASSWORD);
    assert.equal(shown, 'Password: \nThe same password again: \n');
    await assert.rejects(typed(PASSWORD, 'another'), /^Error: The two passwords differ\.$/);
  });

  it('manage shared users and organizations in the same way', async () => {
    const args = ['shared-users', 'create', 'acme', '--name', 'Hanako', '--email', 'hanako@example.com'];
    const { id } = JSON.parse(await good([...args, '--password-stdin'], PASSWORD));
    assert.match(await good(['organizations', 'list']), /^Organization +Single sign-on\nAcme +off$/m);
    assert.match(await good(['shared-users', 'list', 'Acme']), /^Hanako +u\w{26} +hanako@example\.com +enabled$/m);
    const person = ['Acme', 'hanako@example.com'];
    await good(['shared-users', 'update', ...person, '--email', 'hanako@example.org']);
    assert.match(await good(['shared-users', 'disable', 'Acme', 'Hanako']), / is disabled in every application\.$/m);
    assert.match(await good(['shared-users', 'show', 'Acme', id]), /^State +disabled$/m);
    await good(['shared-users', 'enable', 'Acme', 'Hanako']);
    await good(['shared-users', 'set-password', 'Acme', 'Hanako', '--password-stdin'], 'Other-Passw0rd');
    const { body } = await server.operator('GET', `/organizations/Acme/sharedUsers/${id}`);
    assert.deepEqual(body, { id, name: 'Hanako', email: 'hanako@example.org', disabled: false });
    assert.match(await good(['shared-users', 'delete', 'Acme', 'Hanako', '--yes']), /^Deleted Hanako/);
    const added = ['organizations', 'add-shared-user', 'Acme', '--user', 'Taro', '--email', 'nothing'];
    assertPlain(await cartulary([...added, '--password-stdin'], PASSWORD), /^--email must be an e-mail address\.$/m);
  });

  it('create and revoke tokens by name, and list those of all users', async () => {
    const made = await cartulary(['tokens', 'create', 'Field work', 'Grace', '--name', 'reports', '--token-only']);
    assert.match(made.stderr, /^Created a token of Grace \(u\w{7}\)\. Keep it: it is shown only this once\.$/m);
    assert.equal((await app.send('GET', '', { token: made.stdout.trim() })).status, 200);
    assert.match(await good(['tokens', 'list', 'Field work']), /^reports +\w{16} +Grace \(u\w{7}\) +20\S+ +never +/m);
    assertPlain(
      await cartulary(['tokens', 'create', 'Field work', 'Grace', '--name', 'old', '--expires-at', 'soon']),
      /^--expires-at must be a time in the future/,
    );
    assert.equal(await good(['tokens', 'revoke', 'Field work', 'Grace', 'reports']), 'Revoked.\n');
    assert.match(await good(['tokens', 'list', 'Field work', 'Grace']), /^Grace \(u\w{7}\) has no tokens\.$/m);
  });
});
