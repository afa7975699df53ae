// Uploads whose server does not hear what the database has done, or hears it too late: nothing that is there is removed,
// and nothing stays of what is not.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication } from '../support/application.ts';
import {
  type AttachmentScene,
  attachmentActivities,
  type Files,
  filesOf,
  openAttachments,
  randomFile,
  refusedBytes,
} from '../support/attachments.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { fetchChecked } from '../support/http-client.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { type TroubledWire, troubleWire } from '../support/troubled-wire.ts';
import { until } from '../support/until.ts';
import { assertAppended, DOCUMENT, type Uploads, uploadsOf } from '../support/uploads.ts';

const COMPLETING = "state = 'available', size";
/** There the attachment is complete with a later statement, so what is lost here was not committed. */
const AT_ONCE = { skip: (await isCitus()) && 'a cluster commits a logged update with a statement of its own' };
const CLAIMING = 'set node = $2, expires_at';

describe('an upload whose server never receives the result from the database', () => {
  let database: TestDatabase;
  let wire: TroubledWire;
  let scene: AttachmentScene;
  let files: Files;
  let uploads: Uploads;
  let second: TestServer;
  let elsewhere: Uploads;

  before(async () => {
    database = await createDatabase();
    wire = await troubleWire(database.connection);
    scene = await openAttachments('disk', DOCUMENT, { database, connection: wire.connection });
    second = await startTestServer({ database, attachments: scene.store.place });
    files = filesOf(scene, 'Files');
    uploads = uploadsOf(scene.server.address, scene.app);
    elsewhere = uploadsOf(second.address, scene.app);
  });
  after(async () => {
    await second.close();
    await scene.close();
    await wire.close();
    await database.drop();
  });

  const rows = (applicationId = scene.app.id) =>
    database.sql(`select id, state, node from app_${applicationId}.attachments order by id`);
  const newest = async () => {
    const [id, state, node] = (await rows()).at(-1) as [string, string, string | null];
    return { id, state, node };
  };
  const storedOf = async (id: string) => (await scene.store.stored()).filter((name) => name.includes(id));

  /** As the server's own sweep does. */
  async function clearAway(): Promise<void> {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const reply = await fetchChecked(`${scene.server.address}/operator/v1/doctor?mend=true`, {
      method: 'POST',
      headers,
    });
    assert.match(await reply.text(), /"type":"end"/);
  }

  it('is an attachment when the row says so', AT_ONCE, async () => {
    const lost = wire.lose(COMPLETING);
    const { id } = await files.upload('whole');
    await lost.met;
    assert.equal((await files.get(id)).bytes.toString(), 'whole');
    const created = (await attachmentActivities(scene)).filter(({ subType }) => subType === 'create');
    assert.equal(created.length, 1);
  });

  it('is one too when it was announced, with bytes or without', AT_ONCE, async () => {
    const lost = wire.lose(COMPLETING);
    const reply = await uploads.announce(0);
    await lost.met;
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    assert.equal((await files.get(reply.body.id)).status, 200);

    const { id } = await uploads.announced(5);
    const again = wire.lose(COMPLETING);
    refusedBytes(await uploads.append(id, 0, 'whole'), 503, 'UNAVAILABLE');
    await again.met;
    assert.equal(await uploads.offset(id), 5);
    assert.equal((await files.get(id)).bytes.toString(), 'whole');
    assert.equal((await storedOf(id)).length, 1, 'without its pieces');
  });

  it('is removed by its own server when its row was committed after the refusal', async () => {
    const before = await rows();
    const lost = wire.lose(`insert into app_${scene.app.id}.attachments`);
    refusedBytes(await files.send('whole'), 503, 'UNAVAILABLE');
    await lost.met;
    assert.equal((await newest()).state, 'pending');
    await clearAway();
    assert.deepEqual(await rows(), before);
  });

  it('is not cleared away by its own server while it is being received', async () => {
    const body = randomFile(100_000);
    const held = wire.hold(`insert into app_${scene.app.id}.attachments`);
    const sending = files.send(body);
    await held.met;
    assert.equal((await newest()).state, 'pending');
    await clearAway();
    held.release();
    const reply = await sending;
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.ok((await files.get(reply.body.id)).bytes.equals(body));
  });

  it('can go on elsewhere soon when it was claimed unheard', async () => {
    const { id } = await uploads.announced(5);
    const lost = wire.lose(CLAIMING);
    refusedBytes(await uploads.append(id, 0, 'whole'), 503, 'UNAVAILABLE');
    await lost.met;
    assert.notEqual((await newest()).node, null);
    await until('another server to get it', async () => (await elsewhere.append(id, 0, '')).status === 204);
    assertAppended(await elsewhere.append(id, 0, 'whole'), 5);
  });

  it('leaves nothing when it was terminated elsewhere meanwhile', async () => {
    const held = wire.hold(CLAIMING);
    const announcing = uploads.announce(0);
    await held.met;
    const { id } = await newest();
    assert.equal((await elsewhere.cancel(id)).status, 204);
    held.release();
    refusedBytes(await announcing, 503, 'UNAVAILABLE');
    assert.deepEqual(await storedOf(id), []);
    assert.equal((await elsewhere.state(id)).status, 404);
  });

  it('leaves nothing when its application was removed meanwhile', async () => {
    const app = await publishApplication(scene.server, { name: 'Removed', ...DOCUMENT });
    const theirs = uploadsOf(scene.server.address, app);
    const held = wire.hold(CLAIMING);
    const announcing = theirs.announce(0);
    await held.met;
    const [[id] = []] = (await rows(app.id)) as [string][];
    assert.equal((await second.operator('DELETE', `/applications/${app.id}`)).status, 204);
    const notes = async () => (await database.sql('select application_id from cartulary.erasures')).length;
    await until('its files to be erased', async () => (await notes()) === 0);
    held.release();
    refusedBytes(await announcing, 503, 'UNAVAILABLE');
    assert.deepEqual(await storedOf(id ?? ''), []);
  });
});
