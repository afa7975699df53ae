// Thousands of random queries over random records of every type: the server's answers, page by page and in order, are
// those of the oracle in oracle/. CARTULARY_TEST_SEED repeats a run, CARTULARY_TEST_QUERIES makes it longer or shorter.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { closeScene, openScene, type Scene } from '../support/records.ts';
import {
  type Answer,
  differenceOf,
  expectedAnswer,
  parametersOf,
  type Question,
  serversAnswer,
  settingOf,
} from './asking.ts';
import { type Filled, fill } from './filling.ts';
import type { Sort } from './oracle/order.ts';
import { everything, type Query, simplerThan } from './oracle/query.ts';
import { PLAIN, spell } from './oracle/spelling.ts';
import type { Collection } from './oracle/world.ts';
import { mixSeeds, Random } from './random.ts';
import { type Ground, groundsOf, randomQuery } from './random-queries.ts';
import { COLLECTIONS, DELETING, LISTED, ZONE } from './scheme.ts';

/** The same for everybody unless another is asked for: what fails must fail again. */
// Another one in each run, which asks less but something new.
const SEED = Number(process.env.CARTULARY_TEST_SEED ?? Date.now() % 1_000_000_000);
const QUERIES = Number(process.env.CARTULARY_TEST_QUERIES ?? 600);
const DELETIONS = 40;
const CONCURRENCY = 8;
const DIFFERENCES_MAX = 3;
const SHRINK_TRIES = 150;
const TEXT_MAX = 4_000;
const COUNTS = { Targets: 60, Main: 180, Own: 60, Deleting: 100 };
const ZONES = [
  ...[undefined, undefined, 'UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Asia/Kolkata'],
  ...['America/Havana', 'Australia/Lord_Howe'],
];

describe('the search and its oracle', () => {
  let scene: Scene;
  let filled: Filled;
  const grounds = new Map<Collection, Ground[]>();

  before(async () => {
    scene = await openScene({ timeZone: ZONE, collections: COLLECTIONS });
    filled = await fill(scene, new Random(SEED), COUNTS);
    for (const collection of [...LISTED, DELETING]) {
      const setting = settingOf({ caller: filled.admin, collection, limit: 1, walk: 'skip' }, filled.world);
      grounds.set(collection, groundsOf(filled.world.all(collection.id), setting));
    }
  });
  after(() => closeScene(scene));

  function randomQuestion(random: Random, collection: Collection): { question: Question; expected: Answer } {
    const rest = {
      collection,
      caller: random.pick([filled.admin, filled.member]),
      zone: random.pick(ZONES),
      sort: random.chance(0.3) ? undefined : randomSort(random, collection),
      walk: random.pick(['skip', 'after', 'link'] as const),
      limit: 100,
    };
    const setting = settingOf(rest, filled.world);
    for (;;) {
      const query = randomQuery(random, grounds.get(collection)!, setting);
      const question = { ...rest, query, text: spell(query, collection.columns, random) };
      if ([...question.text].length > TEXT_MAX) continue;
      const expected = expectedAnswer(question, filled);
      const count = 'ids' in expected ? expected.ids.length : 0;
      // Some pages, not hundreds; also those that end where the list does.
      const pages = random.pick([1, 2, 3]);
      const limit = random.chance(0.5) ? 100 : Math.max(1, Math.min(100, Math.ceil(count / pages)));
      return { question: { ...question, limit }, expected };
    }
  }

  function randomSort(random: Random, { columns }: Collection): Sort {
    const descending = random.chance(0.5);
    const key = random.weighted<Sort['key']>(
      [8, 'column'],
      [1, 'createdAt'],
      [1, 'updatedAt'],
      [1, 'createdBy'],
      [1, 'updatedBy'],
    );
    if (key !== 'column') return { key, descending };
    return { key, descending, columnId: random.pick(columns.filter(({ sortable }) => sortable === true)).id };
  }

  /** The simplest question found that still differs. */
  async function shrunk(question: Question, random: Random): Promise<Question> {
    let tries = SHRINK_TRIES;
    const differs = async (simpler: Question) => {
      tries -= 1;
      try {
        return (await differenceOf(simpler, scene, filled)) !== undefined;
      } catch {
        // A part of a date may be one that the text leaves open.
        return false;
      }
    };
    const candidates = function* ({ query, text, sort, zone, limit }: Question): Generator<Question> {
      const rest = { ...question, sort, zone, limit };
      const spellings = (one: Query) =>
        [PLAIN, random, random].map((taste) => spell(one, rest.collection.columns, taste));
      for (const simpler of simplerThan(query))
        yield* spellings(simpler).map((one) => ({ ...rest, query: simpler, text: one }));
      if (sort !== undefined) yield { ...rest, query, text, sort: undefined };
      if (zone !== undefined) yield { ...rest, query, text, zone: undefined };
      if (limit !== 100) yield { ...rest, query, text, limit: 100 };
    };
    let simplest = question;
    for (let found = true; found && tries > 0; ) {
      found = false;
      for (const candidate of candidates(simplest)) {
        if (tries <= 0 || !(await differs(candidate))) continue;
        simplest = candidate;
        found = true;
        break;
      }
    }
    return simplest;
  }

  async function report(question: Question, index: number, difference: string): Promise<string> {
    const simplest = await shrunk(question, new Random(mixSeeds(SEED, -index)));
    const { caller, collection, limit, walk } = simplest;
    const same = simplest === question;
    return [
      `query ${index} of seed ${SEED} (CARTULARY_TEST_SEED=${SEED}), as ${caller.name} in ${collection.name}:`,
      `  ${JSON.stringify(question.text)}`,
      ...(same ? [] : [`simpler: ${JSON.stringify(simplest.text)}`]),
      `  ${parametersOf({ ...simplest, text: '' })} limit=${limit} walk=${walk}`,
      `  ${JSON.stringify(simplest.query)}`,
      same ? difference : ((await differenceOf(simplest, scene, filled)) ?? difference),
    ].join('\n');
  }

  it(`agree on ${QUERIES} random queries`, { timeout: 580_000 }, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const differences: { question: Question; index: number; difference: string }[] = [];
    let [next, hits, refusals] = [0, 0, 0];
    const work = async () => {
      while (next < QUERIES && differences.length < DIFFERENCES_MAX) {
        const index = next++;
        const random = new Random(mixSeeds(SEED, index));
        const { question, expected } = randomQuestion(random, random.pick([LISTED[0]!, LISTED[0]!, LISTED[1]!]));
        const difference = await differenceOf(question, scene, filled, expected).catch(
          (error: unknown) => `no answer: ${error instanceof Error ? error.stack : error}`,
        );
        if (difference !== undefined) differences.push({ question, index, difference });
        if ('refused' in expected) refusals += 1;
        else if (expected.ids.length > 0) hits += 1;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const reports: string[] = [];
    for (const { question, index, difference } of differences) reports.push(await report(question, index, difference));
    if (reports.length > 0) assert.fail(`seed ${SEED}\n${reports.join('\n\n')}`);
    t.diagnostic(`${hits} of ${next} found something, ${refusals} were refused`);
    if (QUERIES >= 200) assert.ok(hits > QUERIES / 2, `only ${hits} of ${QUERIES} found anything, seed ${SEED}`);
  });

  it('agree on what is deleted', { timeout: 300_000 }, async () => {
    const random = new Random(mixSeeds(SEED, 1_000_000));
    for (let round = 0; round < DELETIONS; round += 1) {
      const { question, expected } = randomQuestion(random, DELETING);
      const { caller, text } = question;
      const writable = new Set(filled.world.writable(DELETING.id, caller).map(({ id }) => id));
      const chosen = 'refused' in expected ? [] : expected.ids.filter((id) => writable.has(id)).sort();
      const limit = chosen.length > 6 || random.chance(0.7) ? random.pick([1, 2, 5]) : undefined;
      const label = `deletion ${round} of seed ${SEED}, as ${caller.name}, limit ${limit}: ${JSON.stringify(text)}`;
      const parameters = `${parametersOf({ ...question, sort: undefined })}${limit === undefined ? '' : `&limit=${limit}`}`;
      const path = `${scene.app.records(DELETING.name)}?${parameters}`;
      const reply = await scene.app.send('DELETE', path, { token: caller.token });
      // An empty term finds everything, and deletes nothing; so does a search of blanks alone.
      const isEmptyTerm = /^An empty term|^A term of blanks/.test(reply.body?.params?.message);
      const isBlank = text !== '' && text.trim() === '';
      const gone = isEmptyTerm || isBlank ? [] : chosen.slice(0, limit);
      if (isEmptyTerm) assert.match(text, /"\s*"/, label);
      else if (isBlank) assert.deepEqual([reply.status, reply.body?.code], [400, 'INVALID_PARAMETER'], label);
      else if ('refused' in expected) assert.equal(reply.body?.code, 'INVALID_SEARCH', label);
      else if (limit === undefined) assert.deepEqual([reply.status, reply.text], [204, ''], label);
      else assert.deepEqual([reply.status, reply.body], [200, { deletedCount: gone.length }], label);
      for (const id of gone) filled.world.remove(DELETING.id, id);
      const all = { ...question, caller: filled.admin, query: everything, text: '', limit: 100 };
      const left = await serversAnswer(all, scene);
      assert.deepEqual(left, expectedAnswer(all, filled), label);
    }
  });
});
