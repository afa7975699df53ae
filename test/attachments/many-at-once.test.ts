// Many uploads and downloads at once, whose statements travel together: each has its own bytes, its own caller's rights and
// exactly one entry in the log.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Person } from '../support/application.ts';
import { attachmentActivities, filesOf, onBothStores, randomFile, refusedBytes } from '../support/attachments.ts';

const MANY = 40;
const DOCUMENT = {
  collections: [
    {
      id: 'tfiles00',
      name: 'Files',
      readAccessType: 'creatorOnly',
      columns: [{ id: 'cfile000', name: 'File', type: 'Attachment' }],
    },
  ],
};

onBothStores('many files at once', { document: DOCUMENT }, (scene) => {
  let people: Person[];

  before(async () => {
    people = [await scene().app.addPerson('First'), await scene().app.addPerson('Second')];
  });

  const filesAs = (n: number) => filesOf(scene(), 'Files', people[n % 2]!.token);
  const logged = async () =>
    (await attachmentActivities(scene())).map(
      ({ subType, user, extra }) => `${subType} ${extra.attachmentId} ${user.id}`,
    );

  it('are stored, found by those who may, and logged once each', async () => {
    // On both sides of what is collected in memory, and of what is sent at once.
    const sizes = [0, 1, 100_000, 131_072, 131_073, 262_144, 262_145];
    const bodies = Array.from({ length: MANY }, (_, n) => randomFile(sizes[n % sizes.length]!));
    const uploads = await Promise.all(bodies.map((body, n) => filesAs(n).upload(body)));
    const created = uploads.map(({ id }, n) => `create ${id} ${people[n % 2]!.id}`);
    assert.deepEqual((await logged()).sort(), created.toSorted());
    for (let round = 1; round <= 3; round += 1) {
      const replies = await Promise.all(uploads.map(({ id }, n) => filesAs(n).get(id)));
      for (const [n, { status, bytes }] of replies.entries()) {
        assert.equal(status, 200, `round ${round}, ${bodies[n]!.length} bytes`);
        assert.ok(bytes.equals(bodies[n]!), `round ${round}, ${bodies[n]!.length} bytes`);
      }
    }
    const downloads = (await logged()).filter((entry) => entry.startsWith('download'));
    const expected = created.flatMap((entry) => Array(3).fill(entry.replace('create', 'download')));
    assert.deepEqual(downloads.sort(), expected.sort());
    // The other person asks at the same time, and finds nothing.
    const asked = uploads.flatMap(({ id }, n) => [filesAs(n).head(id), filesAs(n + 1).get(id)]);
    for (const [n, reply] of (await Promise.all(asked)).entries()) {
      if (n % 2 === 0) assert.equal(reply.status, 200);
      else refusedBytes(reply, 404, 'ATTACHMENT_NOT_FOUND');
    }
  });

  it('break off without disturbing the others', async () => {
    const before = (await logged()).length;
    const sent = Array.from({ length: MANY }, (_, n) =>
      n % 4 === 0
        ? filesAs(n).send(randomFile(10), { 'x-service-creatorid': 'unknown' })
        : filesAs(n).send(randomFile(5_000 + n)),
    );
    const replies = await Promise.all(sent);
    const good = replies.filter((_, n) => n % 4 !== 0);
    assert.deepEqual([...new Set(good.map(({ status }) => status))], [200]);
    for (const [n, { status }] of replies.entries()) if (n % 4 === 0) assert.ok(status === 400 || status === 403);
    assert.equal((await logged()).length, before + good.length);
  });
});
