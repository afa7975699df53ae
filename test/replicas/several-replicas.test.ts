// Two replicas: readers are spread over them, each stays with one, and one that is away leaves its readers to the other.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person } from '../support/application.ts';
import { scrape } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { isEventual, type Notes, openReplicaScene, type ReplicaScene } from './scene.ts';

const READERS = 12;
const TIMES = 5;

describe('two replicas', () => {
  let scene: ReplicaScene;
  let notes: Notes;
  let id: string;
  let readers: Person[];

  before(async () => {
    scene = await openReplicaScene({ count: 2 });
    notes = await scene.publish();
    id = await notes.create('first');
    readers = await Promise.all(Array.from({ length: READERS }, (_, n) => notes.addPerson(`Reader ${n}`)));
    await until('both', async () => (await Promise.all(readers.map(read))).every(isEventual));
  });
  after(() => scene?.close());

  const read = (reader: Person) => notes.read(`/${id}`, reader);
  const titleOf = async (reader: Person): Promise<string> => {
    const reply = await read(reader);
    assert.ok(isEventual(reply), reader.name);
    return notes.titleOf(reply);
  };

  it('share the readers, and a reader stays with one of them', async () => {
    await scene.pause();
    try {
      // From another node: a write through the same node sends its readers to the primary.
      await notes.rename(id, 'second', scene.otherNode);
      await until('the other', async () => (await Promise.all(readers.map(titleOf))).includes('second'));
      const seen = await Promise.all(
        readers.map(async (reader) => {
          const titles = new Set<string>();
          for (let time = 0; time < TIMES; time++) titles.add(await titleOf(reader));
          return [...titles];
        }),
      );
      assert.deepEqual(
        seen.filter(({ length }) => length !== 1),
        [],
      );
      assert.deepEqual(new Set(seen.flat()), new Set(['first', 'second']));
    } finally {
      await scene.resume();
    }
    await until('the first', async () => !(await Promise.all(readers.map(titleOf))).includes('first'));
  });

  it('stand in for each other', async () => {
    for (const standby of scene.standbys) {
      await standby.end('SIGKILL');
      await until(
        'the other alone',
        async () => (await scrape(scene.server.address)).sum('cartulary_replica_up') === 1,
      );
      assert.ok((await Promise.all(readers.map(read))).every(isEventual));
      const ready = await scene.server.send('GET', '/readyz');
      assert.deepEqual(ready.body, { status: 'ready', replicas: 2, replicasAway: 1 });
      await standby.start();
      await until('both again', async () => (await scrape(scene.server.address)).sum('cartulary_replica_up') === 2);
    }
  });

  it('that are both away leave their readers to the primary', async () => {
    await Promise.all(scene.standbys.map((standby) => standby.end('SIGKILL')));
    await until('the primary', async () => !(await Promise.all(readers.map(read))).some(isEventual));
    const replies = await Promise.all(readers.map(read));
    assert.deepEqual(new Set(replies.map((reply) => notes.titleOf(reply))), new Set(['second']));
  });
});
