// Phones: FCM and APNs behind the same queue, and the files that switch them on.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { KeyFileError, readApnsAccount, readFcmAccount } from '../../src/push/key-files.ts';
import type { Person, TestApplication } from '../support/application.ts';
import { spawnServer } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type PhoneService, startApns, startFcm } from './phones.ts';
import { notify, publishWithPush, queueOf } from './scene.ts';

const FCM_TOKEN = `${'a'.repeat(22)}:APA91b${'B-_9'.repeat(33)}`;
const APNS_TOKEN = '00Fc13AB'.repeat(8);

describe('phones', () => {
  let folder: string;
  let fcm: PhoneService;
  let apns: PhoneService;
  let server: TestServer;
  let app: TestApplication;
  let names = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-phones-'));
    [fcm, apns] = await Promise.all([startFcm(), startApns()]);
    await writeFile(join(folder, 'fcm.json'), JSON.stringify(fcm.account));
    const { key, ...rest } = apns.account;
    await writeFile(join(folder, 'apns.p8'), key!);
    await writeFile(join(folder, 'apns.json'), JSON.stringify({ ...rest, keyFile: 'apns.p8' }));
    server = await startTestServer({
      push: { fcm: readFcmAccount(join(folder, 'fcm.json')), apns: readApnsAccount(join(folder, 'apns.json')) },
    });
    app = await publishWithPush(server, { name: 'Inspections' });
  });
  after(async () => {
    await server.close();
    await Promise.all([fcm.close(), apns.close()]);
    await rm(folder, { recursive: true });
  });

  async function somebodyWith(device: object): Promise<Person> {
    const person = await app.addPerson(`Person ${names++}`);
    const reply = await app.send('POST', `/users/${person.id}/devices`, { token: person.token, json: device });
    assert.equal(reply.status, 200, reply.text);
    return person;
  }
  const deviceCount = async (person: Person) => (await app.send('GET', `/users/${person.id}/devices`)).body.length;
  const settled = () => until('settled', async () => (await queueOf(server, app)).waiting === undefined);

  it('get messages by FCM, with one access token for many', async () => {
    const person = await somebodyWith({ transport: 'fcm', token: FCM_TOKEN, name: 'Pixel' });
    await notify(app, person, { title: 'Look', body: 'here', url: 'https://example.com/', sound: 'default' });
    await notify(app, person, { body: 'quiet' });
    await until('both', () => fcm.taken.length === 2);
    const { message } = fcm.taken.find(({ body }) => body.message.notification.body === 'here')!.body;
    assert.deepEqual(message.notification, { title: 'Look', body: 'here' });
    assert.equal(message.token, FCM_TOKEN);
    const { notificationId, ...data } = message.data;
    assert.match(notificationId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(data, { applicationId: app.id, applicationName: 'Inspections', url: 'https://example.com/' });
    assert.equal(message.android.notification.sound, 'default');
    const quiet = fcm.taken.find(({ body }) => body.message.notification.body === 'quiet')!.body.message;
    assert.deepEqual(Object.keys(quiet.android), ['priority', 'ttl']);
    assert.equal(fcm.tokens.size, 1);
    // Withdrawn before its time: another is asked for, at once.
    fcm.tokens.add('withdrawn');
    await notify(app, person, { body: 'again' });
    await until('the third', () => fcm.taken.length === 3);
  });

  it('are dropped when FCM says that they are gone, and kept when it is busy or the message is at fault', async () => {
    const details = (errorCode: string) => [
      { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode },
    ];
    const cases = [
      { status: 404, body: { error: { details: details('UNREGISTERED') } }, kept: 0, state: 'gone' },
      {
        status: 400,
        body: { error: { message: 'The registration token is not a valid FCM registration token' } },
        kept: 0,
        state: 'gone',
      },
      { status: 400, body: { error: { details: details('INVALID_ARGUMENT') } }, kept: 1, state: 'failed' },
      { status: 403, body: { error: { details: details('SENDER_ID_MISMATCH') } }, kept: 1, state: 'failed' },
    ];
    for (const { status, body, kept, state } of cases) {
      const person = await somebodyWith({ transport: 'fcm', token: `${FCM_TOKEN}${names}` });
      fcm.react = () => ({ status, body });
      await notify(app, person, { body: 'a' });
      await settled();
      const rows = await server.database.sql(
        `select d.state from app_${app.id}.deliveries d join app_${app.id}.notifications n on n.id = d.notification_id
         where n.user_id = $1`,
        [person.id],
      );
      assert.deepEqual([rows, await deviceCount(person)], [[[state]], kept], JSON.stringify(body));
    }
    let tries = 0;
    fcm.react = () => (tries++ === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 });
    const person = await somebodyWith({ transport: 'fcm', token: `${FCM_TOKEN}${names}` });
    await notify(app, person, { body: 'busy' });
    await settled();
    assert.equal(tries, 2);
    assert.equal(await deviceCount(person), 1);
  });

  it('get messages by APNs, on a persistent connection that is reopened when it ends', async () => {
    const person = await somebodyWith({ transport: 'apns', token: APNS_TOKEN });
    await notify(app, person, { title: 'Look', body: 'here', url: 'https://example.com/', sound: 'default' });
    await until('the first', () => apns.taken.length === 1);
    const { headers, path, body } = apns.taken[0]!;
    assert.equal(path, `/3/device/${APNS_TOKEN.toLowerCase()}`);
    const { notificationId, ...rest } = body;
    assert.deepEqual(rest, {
      aps: { alert: { title: 'Look', body: 'here' }, sound: 'default' },
      url: 'https://example.com/',
      application: { id: app.id, name: 'Inspections' },
    });
    assert.equal(headers['apns-id'], notificationId);
    assert.equal(headers['apns-topic'], apns.account.topic);
    assert.equal(headers['apns-push-type'], 'alert');
    assert.equal(headers['apns-priority'], '10');
    const left = Number(headers['apns-expiration']) - Date.now() / 1_000;
    assert.ok(left > 86_000 && left < 86_500, String(left));
    apns.goAway();
    await notify(app, person, { body: 'after' });
    await until('the second', () => apns.taken.length === 2);
    assert.equal(apns.tokens.size, 1, 'Apple refuses tokens that change too often');
  });

  it('renew the provider token once when Apple calls it expired', async () => {
    const person = await somebodyWith({ transport: 'apns', token: 'ab'.repeat(32) });
    let refused = 0;
    apns.react = () => (refused++ === 0 ? { status: 403, body: { reason: 'ExpiredProviderToken' } } : { status: 200 });
    await notify(app, person, { body: 'a' });
    await settled();
    assert.equal(refused, 2);
  });

  it('are dropped when Apple says that they are gone', async () => {
    const cases = [
      { status: 410, reason: 'Unregistered', kept: 0 },
      { status: 400, reason: 'BadDeviceToken', kept: 0 },
      { status: 400, reason: 'BadTopic', kept: 1 },
      { status: 403, reason: 'Forbidden', kept: 1 },
    ];
    for (const { status, reason, kept } of cases) {
      const person = await somebodyWith({ transport: 'apns', token: `${names}`.padStart(64, '0') });
      apns.react = () => ({ status, body: { reason } });
      await notify(app, person, { body: 'a' });
      await settled();
      assert.equal(await deviceCount(person), kept, reason);
    }
    let tries = 0;
    apns.react = () => (tries++ === 0 ? { status: 503, body: { reason: 'Shutdown' } } : { status: 200 });
    const person = await somebodyWith({ transport: 'apns', token: 'cd'.repeat(32) });
    await notify(app, person, { body: 'a' });
    await settled();
    assert.equal(tries, 2);
  });

  it('are switched on by files that are right; a wrong one stops the start and names its setting', async () => {
    const write = async (value: unknown) => {
      const path = join(folder, 'wrong.json');
      await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
      return path;
    };
    const wrongKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const wrongFcm = [
      '{',
      [],
      { ...fcm.account, project_id: undefined },
      { ...fcm.account, project_id: '../x' },
      { ...fcm.account, private_key: 'secret' },
      { ...fcm.account, private_key: apns.account.key },
      { ...fcm.account, token_uri: 'http://example.com/token' },
      { ...fcm.account, origin: 'ftp://127.0.0.1' },
    ];
    for (const value of wrongFcm) {
      const path = await write(value);
      assert.throws(() => readFcmAccount(path), KeyFileError, JSON.stringify(value).slice(0, 80));
    }
    const wrongApns = [
      { ...apns.account, key: undefined },
      { ...apns.account, keyFile: 'apns.p8' },
      { ...apns.account, key: wrongKey },
      { ...apns.account, key: undefined, keyFile: 'absent.p8' },
      { ...apns.account, keyId: 'short' },
      { ...apns.account, topic: 'a b' },
      { ...apns.account, origin: 'http://example.com' },
    ];
    for (const value of wrongApns) {
      const path = await write(value);
      assert.throws(() => readApnsAccount(path), KeyFileError, JSON.stringify(value).slice(0, 80));
    }
    for (const setting of ['CARTULARY_FCM', 'CARTULARY_APNS']) {
      const environment = {
        [setting]: join(folder, 'absent.json'),
        CARTULARY_DATA: folder,
        DATABASE_URL: 'postgres://x',
      };
      await assert.rejects(spawnServer(environment), new RegExp(`The file of ${setting} cannot be read`));
    }
  });
});
