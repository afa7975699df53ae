// A new password for who has forgotten theirs: the mail, its link, and that nobody learns who has an account.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import {
  Client,
  entriesOf,
  OTHER_PASSWORD,
  PASSWORD,
  sharedApplication,
  signedIn,
} from '../support/browser-sessions.ts';
import { linkIn, type Mailbox, openMailbox, type ReceivedMail, tokenIn } from '../support/mailbox.ts';
import { type Reply, sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { putBack } from '../support/times.ts';
import { until } from '../support/until.ts';

const NOBODY = `p${'0'.repeat(26)}`;
const FROM = 'Records <records@example.com>';

describe('resetting a password', () => {
  let server: TestServer;
  let mailbox: Mailbox;
  let app: TestApplication;
  const problems: string[] = [];
  const observed: string[] = [];

  before(async () => {
    mailbox = await openMailbox();
    server = await startTestServer({
      mail: { url: mailbox.url, from: FROM },
      observe: (observation) => {
        observed.push(JSON.stringify(observation));
        if (observation.event === 'task.failed') problems.push(observation.event);
      },
    });
    app = await publishApplication(server, { name: 'Größe & <Maß>', organization: 'Reset', collections: [] });
  });
  after(async () => {
    await server.close();
    await mailbox.close();
    const secrets = [PASSWORD, OTHER_PASSWORD, ...mailbox.mails.map(tokenIn)];
    assert.ok(observed.length > 50 && secrets.length > 10);
    for (const secret of secrets) assert.ok(!observed.some((line) => line.includes(secret)), 'the log holds a secret');
  });

  const path = (applicationId = app.id) => `/v1/${applicationId}/session/passwordReset`;
  const ask = (json: unknown, applicationId?: string): Promise<Reply> =>
    sendTo(server.address, 'POST', path(applicationId), { json });
  const use = (json: unknown, applicationId?: string): Promise<Reply> =>
    sendTo(server.address, 'PUT', path(applicationId), { json });
  const mailTo = async (address: string, count = 1): Promise<ReceivedMail> => {
    const to = () => mailbox.mails.filter((mail) => mail.to.includes(address));
    await until(`mail ${count} to ${address}`, () => to().length >= count);
    return to()[count - 1]!;
  };
  const resetsOf = ({ id }: Person) => ({ table: `app_${app.id}.password_resets`, where: ['user_id', id] as const });
  const later = (person: Person, minutes: number) =>
    putBack(server.database, { ...resetsOf(person), columns: ['created_at', 'expires_at'] }, minutes * 60);
  const somebody = (name: string) => app.addPerson(name, { email: `${name}@example.com` });

  it('mails a link that sets a new password, once, and ends the sessions', async () => {
    const person = await somebody('forgetful');
    const client = await signedIn(server, app, person);
    assert.equal((await ask({ email: 'FORGETFUL@example.com' })).status, 204);
    const mail = await mailTo('forgetful@example.com');
    assert.equal(mail.from, 'records@example.com');
    assert.ok(mail.body.includes('account at Größe & <Maß>.'), mail.body);
    assert.ok(mail.body.includes('account at Größe &amp; &lt;Maß&gt;.'), 'and as HTML');
    assert.ok(linkIn(mail).startsWith(`${server.address}/console/resetPassword#application=${app.id}&token=`));
    assert.deepEqual([...new Set(mailbox.users)], ['some@body pass/word']);
    const token = tokenIn(mail);
    const weak = await use({ token, password: 'weak' });
    assert.deepEqual([weak.status, weak.body.code], [400, 'WEAK_PASSWORD']);
    const set = await use({ token, password: OTHER_PASSWORD });
    assert.equal(set.status, 204, set.text);
    assert.equal(await client.status(), 401);
    assert.equal((await client.signIn(person.id)).status, 401);
    assert.equal((await client.signIn(person.id, OTHER_PASSWORD)).status, 200);
    const again = await use({ token, password: PASSWORD });
    assert.deepEqual([again.status, again.body.code, again.body.params.property], [400, 'INVALID_PROPERTY', 'token']);
    const [entry] = (await entriesOf(server, app, 'user.update')).slice(-1);
    assert.deepEqual([entry?.user.id, entry?.extra.userId], [person.id, person.id]);
    const rows = await server.database.sql(`select t::text from app_${app.id}.password_resets t`);
    assert.ok(!rows.some(([row]) => String(row).includes(token)));
  });

  it('answers the same whoever is asked for, and mails nobody else', async () => {
    const disabled = await somebody('shut-out');
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [disabled.id]);
    for (const [json, applicationId] of [
      [{ email: 'nobody@example.com' }],
      [{ userId: 'u0000000' }],
      [{ userId: 'x\u0000' }],
      [{ userId: disabled.id }],
      [{ email: 'forgetful@example.com' }, NOBODY],
    ] as const) {
      const reply = await ask(json, applicationId);
      assert.deepEqual([reply.status, reply.text], [204, '']);
    }
    const before = mailbox.mails.length;
    await somebody('somebody');
    assert.equal((await ask({ email: 'somebody@example.com' })).status, 204);
    await mailTo('somebody@example.com');
    assert.equal(mailbox.mails.length, before + 1);
    assert.deepEqual(problems, []);
  });

  it('takes nothing but what it asks for', async () => {
    const bodies = [{}, { email: 'a@b', userId: 'u0000000' }, { email: 7 }, { email: 'a@b', to: 'c@d' }, []];
    for (const body of bodies) assert.equal((await ask(body)).body.code, 'INVALID_BODY', JSON.stringify(body));
    for (const body of [{}, { token: 'x' }, { token: 'x', password: PASSWORD, userId: 'u0000000' }]) {
      assert.equal((await use(body)).body.code, 'INVALID_BODY', JSON.stringify(body));
    }
    for (const token of ['x', 'A'.repeat(43), '\u0000']) {
      for (const applicationId of [app.id, NOBODY]) {
        const reply = await use({ token, password: OTHER_PASSWORD }, applicationId);
        assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_PROPERTY']);
      }
    }
  });

  it('counts the newest link alone, for an hour', async () => {
    const person = await somebody('impatient');
    await ask({ userId: person.id });
    const first = await mailTo('impatient@example.com');
    await later(person, 2);
    await ask({ userId: person.id });
    const second = await mailTo('impatient@example.com', 2);
    assert.equal((await use({ token: tokenIn(first), password: OTHER_PASSWORD })).status, 400);
    await later(person, 61);
    assert.equal((await use({ token: tokenIn(second), password: OTHER_PASSWORD })).status, 400);
    await ask({ userId: person.id });
    const third = await mailTo('impatient@example.com', 3);
    const both = await Promise.all([PASSWORD, OTHER_PASSWORD].map((p) => use({ token: tokenIn(third), password: p })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [204, 400], 'of two at once, one is taken');
  });

  it('is voided by whatever else ends the sessions', async () => {
    const person = await somebody('changes-mind');
    await ask({ userId: person.id });
    const mail = await mailTo('changes-mind@example.com');
    const json = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    assert.equal((await app.send('PUT', '/session/password', { token: person.token, json })).status, 204);
    assert.equal((await use({ token: tokenIn(mail), password: 'Third-Passw0rd' })).status, 400);
  });

  it('is voided by another address of the user, and counts again with none but the one it went to', async () => {
    const person = await somebody('moves');
    await ask({ userId: person.id });
    const mail = await mailTo('moves@example.com');
    const management = { token: app.admin.token };
    const path = `/management/users/${person.id}`;
    const { body } = await app.send('GET', path, management);
    const { id: _id, name: _name, ...user } = body;
    const change = (email: string) => app.send('PUT', path, { ...management, json: { ...user, email } });
    const changed = await change('elsewhere@example.com');
    assert.ok(changed.status < 300, changed.text);
    const refused = await use({ token: tokenIn(mail), password: OTHER_PASSWORD });
    assert.deepEqual([refused.status, refused.body.params?.property], [400, 'token']);
    await change('moves@example.com');
    assert.equal((await use({ token: tokenIn(mail), password: OTHER_PASSWORD })).status, 204);
  });

  it('mails once a minute and five times an hour at the most', async () => {
    const person = await somebody('often');
    await Promise.all(Array.from({ length: 4 }, () => ask({ userId: person.id })));
    for (let mail = 1; mail <= 5; mail++) {
      await mailTo('often@example.com', mail);
      await putBack(server.database, { ...resetsOf(person), columns: ['created_at'] }, 61);
      assert.equal((await ask({ userId: person.id })).status, 204);
    }
    await somebody('marker');
    await ask({ email: 'marker@example.com' });
    await mailTo('marker@example.com');
    assert.equal(mailbox.mails.filter(({ to }) => to.includes('often@example.com')).length, 5);
  });

  it('tries again when the mail is not taken at once', async () => {
    await somebody('unlucky');
    mailbox.refusals = 1;
    await ask({ email: 'unlucky@example.com' });
    await mailTo('unlucky@example.com');
    assert.deepEqual(problems, []);
  });

  it('does not try again where the mail is refused for good', async () => {
    await somebody('gone');
    await ask({ email: 'gone@example.com' });
    await until('the failure', () => problems.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual([problems, mailbox.refused], [['task.failed'], ['gone@example.com']]);
    problems.length = 0;
  });

  it('slows down who asks a lot, and not who signs in', async () => {
    const node = await startTestServer({
      database: server.database,
      mail: { url: mailbox.url, from: FROM },
      authFailures: { account: 2, address: 4 },
    });
    try {
      const post = (json: object) => sendTo(node.address, 'POST', path(), { json });
      const put = (token: string) => sendTo(node.address, 'PUT', path(), { json: { token, password: PASSWORD } });
      for (let time = 0; time < 2; time++) assert.equal((await post({ userId: 'u0000001' })).status, 204);
      const slowed = await post({ userId: 'u0000001' });
      assert.deepEqual([slowed.status, slowed.body.code], [429, 'TOO_MANY_REQUESTS']);
      assert.equal((await new Client(node.address, app.id).signIn(app.admin.id)).status, 200);
      for (let time = 0; time < 2; time++) assert.equal((await put(`wrong-${time}`)).status, 400);
      assert.equal((await put('wrong')).status, 429);
      assert.equal((await post({ userId: 'u0000002' })).status, 429, 'the whole address by now');
    } finally {
      await node.close();
    }
  });

  it('sets the password of the organization for a shared user', async () => {
    const { app: shared, shared: people } = await sharedApplication(server, 'ResetShared');
    assert.equal((await ask({ email: 'Shared@shared.example' }, shared.id)).status, 204);
    const mail = await mailTo('Shared@shared.example');
    const set = await use({ token: tokenIn(mail), password: OTHER_PASSWORD }, shared.id);
    assert.equal(set.status, 204, set.text);
    assert.equal(
      (await new Client(server.address, shared.id).signIn(shared.users.Shared!, OTHER_PASSWORD)).status,
      200,
    );
    const entries = await entriesOf(server, { id: shared.id } as TestApplication, 'sharedUser.update');
    assert.deepEqual(entries.at(-1)?.extra, { sharedUserId: people.Shared });
    assert.equal(entries.at(-1)?.user.id, shared.users.Shared);
  });

  it('is not there where there is single sign-on, or no mail', async () => {
    const plain = await startTestServer({ database: server.database });
    try {
      assert.equal((await plain.send('GET', `/v1/${app.id}/session/methods`)).body.passwordReset, false);
      const reply = await plain.send('POST', path(), { json: { userId: app.admin.id } });
      assert.deepEqual([reply.status, reply.body], [403, disabled()]);
      const used = await plain.send('PUT', path(), { json: { token: 'x', password: PASSWORD } });
      assert.deepEqual([used.status, used.body.params?.property], [400, 'token'], 'a link may have been handed over');
    } finally {
      await plain.close();
    }
    assert.equal((await server.send('GET', `/v1/${app.id}/session/methods`)).body.passwordReset, true);
    const singleSignOn = { issuer: 'https://login.example', clientId: 'cartulary', clientSecret: 'secret' };
    await server.operator('PUT', '/organizations/Reset', { singleSignOn });
    for (const reply of [await ask({ userId: app.admin.id }), await use({ token: 'x', password: PASSWORD })]) {
      assert.deepEqual([reply.status, reply.body], [403, disabled()]);
    }
    await server.operator('PUT', '/organizations/Reset', { singleSignOn: null });
  });

  const disabled = () => ({ code: 'FEATURE_DISABLED', params: { feature: 'passwordReset' } });
});
