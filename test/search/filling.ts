// Puts random records into a real server, through HTTP and by several people, and the same into the oracle's world.

import type { Person } from '../support/application.ts';
import { done, operationsOn, type Scene } from '../support/records.ts';
import { type Caller, type Collection, type StoredRecord, type User, type Values, World } from './oracle/world.ts';
import type { Random } from './random.ts';
import { randomValues, type Stock } from './random-records.ts';
import { COLLECTIONS, TARGETS } from './scheme.ts';
import { NAMES } from './vocabulary.ts';

const BATCH = 10;

export type Asker = Caller & Pick<Person, 'token'>;
export interface Filled {
  readonly world: World;
  readonly admin: Asker;
  /** No admin: cannot read all that references point to. */
  readonly member: Asker;
  readonly users: readonly User[];
  readonly now: number;
}

interface Author {
  readonly caller: Asker;
  /** Another creator than the caller. */
  readonly creator?: User;
}

export async function fill(scene: Scene, random: Random, counts: Readonly<Record<string, number>>): Promise<Filled> {
  const { app } = scene;
  const people: Person[] = [];
  for (const name of NAMES) people.push(await app.addPerson(name));
  const member = { ...people[1]!, admin: false };
  const admin = { ...app.admin, admin: true };
  const users = [app.admin, ...people].map(({ id, name }) => ({ id, name }));
  const filled = { world: new World(COLLECTIONS), admin, member, users, now: Date.now() };
  for (const collection of COLLECTIONS) {
    for (let left = counts[collection.name] ?? 0; left > 0; left -= BATCH) {
      const creator = random.pick(users);
      const author = random.weighted<Author>(
        [4, { caller: admin }],
        [4, { caller: member }],
        [3, { caller: admin, creator }],
      );
      await createSome(scene, random, collection, { filled, author, count: Math.min(BATCH, left) });
    }
  }
  for (const collection of COLLECTIONS) await updateSome(scene, random, collection, filled);
  for (const { id } of filled.world.all(TARGETS)) {
    if (!random.chance(0.1)) continue;
    await operationsOn(app, 'Targets').remove(id);
    filled.world.remove(TARGETS, id);
  }
  return filled;
}

interface Batch {
  readonly filled: Filled;
  readonly author: Author;
  readonly count: number;
}

async function createSome({ app }: Scene, random: Random, collection: Collection, batch: Batch): Promise<void> {
  const { world, users, now } = batch.filled;
  const { caller, creator } = batch.author;
  const stock: Stock = { users, now, targets: world.readable(TARGETS, caller) };
  const sent = random.list(batch.count, () => randomValues(random, collection.columns, stock));
  const reply = await operationsOn(app, collection.name, caller.token).createMany(
    sent.map((values) => ({ values, ...(creator === undefined ? {} : { creatorId: creator.id }) })),
  );
  for (const [index, record] of (done(reply) as StoredRecord[]).entries()) {
    world.put(collection.id, remembered(record, sent[index]!));
  }
}

/** The server's word for identifier, times and people; our own for the values. */
function remembered({ id, createdAt, updatedAt, createdBy, updatedBy }: StoredRecord, values: Values): StoredRecord {
  return { id, createdAt, updatedAt, createdBy, updatedBy, values };
}

/** So that the order of updates is not that of creations, and that what references show has changed since. */
async function updateSome({ app }: Scene, random: Random, collection: Collection, filled: Filled): Promise<void> {
  const { world, users, now, admin, member } = filled;
  // Targets may have gone out of the caller's sight; their references stay as they are.
  const columns = collection.columns.filter(({ type }) => !type.startsWith('Reference'));
  for (const record of world.all(collection.id)) {
    if (!random.chance(0.15)) continue;
    const mayWrite = world.writable(collection.id, member).some(({ id }) => id === record.id);
    const { token } = mayWrite && random.chance(0.5) ? member : admin;
    const values = randomValues(random, columns, { users, now, targets: [] });
    const reply = await operationsOn(app, collection.name, token).merge(record.id, values);
    world.put(collection.id, remembered(done(reply), { ...record.values, ...values }));
  }
}
