// The demonstration without a server: its document is right, its records fit it, and they are the same every time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMONSTRATION } from '../../demo/application.ts';
import { fillRecord } from '../../demo/fill.ts';
import { makePassword } from '../../demo/load.ts';
import { PEOPLE } from '../../demo/people.ts';
import { planRecords } from '../../demo/records.ts';
import { checkDocument } from '../../src/domain/definition/check.ts';
import { resolveDocument } from '../../src/domain/definition/resolve.ts';
import { createIdSource } from '../../src/domain/ids.ts';
import { passwordWeakness } from '../../src/domain/people/passwords.ts';
import { newUserProblem } from '../../src/domain/people/user-bodies.ts';
import { readValues } from '../../src/domain/values/read-values.ts';
import { uniqueKey } from '../../src/domain/values/value-types.ts';
import type { Definition } from '../../src/wire/publish-document.ts';
import { VALUE_TYPES, type Values } from '../../src/wire/values.ts';

/** Every weekday, both ends of a year, a leap day. */
const DAYS = ['2024-02-29', '2026-01-01', '2026-03-02', '2026-03-07', '2026-03-08', '2027-12-31'];
const someDay = new Date('2026-03-04T02:00:00Z');

const ids = createIdSource(
  () => someDay.getTime(),
  (bytes) => crypto.getRandomValues(bytes),
);

function publishedDefinition(): Definition {
  const definition = resolveDocument(DEMONSTRATION, undefined, ids);
  if ('problems' in definition) assert.fail(JSON.stringify(definition.problems));
  return definition;
}

/** What the server would store, with identifiers in place of what it would have created. */
function storedValues(today: Date): { name: string; values: Values; creatorId: string | undefined }[] {
  const definition = publishedDefinition();
  const userIds = new Map(PEOPLE.map(({ name }) => [name, ids.short('u')]));
  const recordIds = new Map<string, string>();
  const plan = planRecords(today);
  const planned = plan.collections.flatMap(({ records }) => records.flatMap(({ values }) => Object.values(values)));
  const attachmentIds = new Map(
    planned.flatMap((value) => (value && 'fileName' in value ? [[value.fileName, ids.long('a')] as const] : [])),
  );
  return plan.collections.flatMap(({ name, records }) => {
    const collection = definition.collections.find((one) => one.name === name)!;
    const columns = new Map(collection.columns.map((column) => [column.id, column]));
    const stored = records.map((record) => {
      const body = fillRecord(collection, record, { userIds, recordIds, attachmentIds });
      const { values } = readValues(columns, JSON.parse(JSON.stringify(body.values)), { nullRemoves: false });
      assert.equal(Object.keys(values).length, Object.values(record.values).filter(Boolean).length);
      return { name, values, creatorId: body.creatorId };
    });
    for (const { key } of records) recordIds.set(key, ids.long('r'));
    for (const column of collection.columns.filter(({ unique }) => unique)) {
      const keys = stored.map(({ values }) => uniqueKey(values[column.id]!));
      assert.equal(new Set(keys).size, keys.length, `${name}.${column.name} repeats a value`);
    }
    return stored;
  });
}

test('the document passes its check and has every value type', () => {
  const checked = checkDocument(DEMONSTRATION);
  assert.deepEqual(checked, { document: DEMONSTRATION });
  const types = new Set(DEMONSTRATION.collections.flatMap(({ columns }) => columns.map(({ type }) => type)));
  assert.deepEqual([...types].sort(), [...VALUE_TYPES].sort());
});

test('every record fits its collection, on whatever day it is made', () => {
  for (const day of DAYS) {
    const stored = storedValues(new Date(`${day}T15:30:00Z`));
    assert.ok(stored.length >= 300 && stored.length <= 900, `${stored.length} records`);
    for (const { creatorId } of stored) assert.match(creatorId ?? '', /^u[a-z0-9]{7}$/);
  }
});

test('different people are creators, and every column is filled in', () => {
  const stored = storedValues(someDay);
  assert.equal(new Set(stored.map(({ creatorId }) => creatorId)).size, PEOPLE.length);
  for (const { name, records } of planRecords(someDay).collections) {
    const filled = new Set(records.flatMap(({ values }) => Object.keys(values)));
    const columns = DEMONSTRATION.collections.find((collection) => collection.name === name)?.columns ?? [];
    for (const column of columns) assert.ok(filled.has(column.name), column.name);
  }
});

test('the same day gives the same records, and keys name one record each', () => {
  const plan = planRecords(someDay);
  assert.deepEqual(planRecords(someDay), plan);
  const keys = plan.collections.flatMap(({ records }) => records.map(({ key }) => key));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(keys.includes(plan.shownKey));
});

test('nothing has happened after today, and the visit that is shown is the last one', () => {
  for (const day of DAYS) {
    const today = new Date(`${day}T00:00:00+09:00`);
    const { collections, shownKey } = planRecords(today);
    for (const { values } of collections.flatMap(({ records }) => records)) {
      for (const name of ['Started', 'Taken', 'Last inspected', 'Opened']) {
        const value = values[name];
        if (value !== undefined && 'value' in value) assert.ok(Date.parse(String(value.value)) < today.getTime(), name);
      }
    }
    const shown = collections[1]?.records.find(({ key }) => key === shownKey);
    assert.deepEqual(shown?.values.Purpose, { type: 'String', value: 'After complaint' });
  }
});

test('no text has a gap that was not filled', () => {
  assert.doesNotMatch(JSON.stringify(planRecords(someDay)), /\{\w+\}|undefined|NaN/);
});

test('people and their passwords are what the application accepts', () => {
  const modes = { sharedUsersModeEnabled: false, teamsModeEnabled: true };
  for (const { name, email, admin, profile, team, teamLeader } of PEOPLE) {
    const password = makePassword();
    assert.equal(passwordWeakness(password), undefined);
    const access = { admin, apiAccess: true, managementApiAccess: admin };
    const body = { name, email, password, ...access, profile: { name: profile }, team: { name: team }, teamLeader };
    assert.equal(newUserProblem(body, modes), undefined);
    assert.ok(DEMONSTRATION.profiles?.includes(profile) && DEMONSTRATION.teams?.includes(team));
  }
});
