// Values under generated input: independent oracles for instants, dates and text, and what holds for every type.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readValues } from '../../src/domain/values/read-values.ts';
import { uniqueKey } from '../../src/domain/values/value-types.ts';
import { Fault } from '../../src/faults.ts';
import { SIMPLE_TYPES, type SimpleTypeName, type Value } from '../../src/wire/values.ts';
import { COLUMNS, columnIdOf, OBJECT_KEYS, REFERENCE_SCHEME } from './value-columns.ts';

type Result = { stored: Value } | { refused: object };

function read(columnId: string, input: unknown): Result {
  try {
    const { values } = readValues(COLUMNS, { [columnId]: input }, { nullRemoves: false });
    return { stored: values[columnId]! };
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_VALUE') return { refused: error.params! };
    throw error;
  }
}

function readText(type: 'Date' | 'DateTime' | 'Time' | 'String', value: unknown): string | undefined {
  const result = read(columnIdOf(type), { type, value });
  return 'stored' in result ? (result.stored as { value: string }).value : undefined;
}

// Howard Hinnant's day arithmetic, with no Date in it.
function daysFromCivil(y: number, month: number, day: number): number {
  const year = month <= 2 ? y - 1 : y;
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}
function civilFromDays(days: number): [year: number, month: number, day: number] {
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const dayOfEra = z - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1];
}
const pad = (number: number, width: number) => String(number).padStart(width, '0');
const dateText = (days: number) => {
  const [year, month, day] = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
};
/** Date and time of milliseconds since 1970, without decimals and zone. */
function clockText(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const seconds = Math.floor((ms - days * 86_400_000) / 1000);
  const hour = Math.floor(seconds / 3600);
  return `${dateText(days)}T${pad(hour, 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
}
const isoText = (ms: number) => `${clockText(ms)}.${pad(((ms % 1000) + 1000) % 1000, 3)}Z`;
const exists = (year: number, month: number, day: number) =>
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  dateText(daysFromCivil(year, month, day)) === `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;

const FIRST_MS = daysFromCivil(1, 1, 1) * 86_400_000;
const LAST_MS = daysFromCivil(10000, 1, 1) * 86_400_000 - 1;

test('DateTime: an instant written with any offset and decimals is stored as that instant', () => {
  const instant = fc.oneof(
    fc.integer({ min: FIRST_MS, max: LAST_MS }),
    fc.integer({ min: FIRST_MS, max: FIRST_MS + 172_800_000 }),
    fc.integer({ min: LAST_MS - 172_800_000, max: LAST_MS }),
  );
  const offset = fc.integer({ min: -1439, max: 1439 });
  fc.assert(
    fc.property(instant, offset, fc.constantFrom(1, 10, 100, 1000), fc.boolean(), (ms, minutes, step, upper) => {
      const at = ms - (((ms % step) + step) % step);
      const local = at + minutes * 60_000;
      // Only four digits of a year can be written.
      fc.pre(at >= FIRST_MS && local >= FIRST_MS - 366 * 86_400_000 && local <= LAST_MS);
      const decimals = { 1: 3, 10: 2, 100: 1, 1000: 0 }[step]!;
      const fraction = decimals === 0 ? '' : `.${isoText(at).slice(20, 20 + decimals)}`;
      const size = Math.abs(minutes);
      const zone =
        minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60), 2)}:${pad(size % 60, 2)}`;
      const text = `${clockText(local)}${fraction}${zone}`;
      assert.equal(readText('DateTime', upper ? text : text.toLowerCase()), isoText(at), text);
    }),
    { numRuns: 3000 },
  );
});

test('DateTime: any combination of fields is accepted exactly when it names an instant of the years 1 to 9999', () => {
  const field = (max: number, over: number) => fc.integer({ min: 0, max: max + over });
  const fields = fc.record({
    year: fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999)),
    month: field(12, 1),
    day: field(31, 1),
    hour: field(23, 1),
    minute: field(59, 1),
    second: field(59, 1),
    sign: fc.constantFrom('+', '-'),
    offsetHour: field(23, 1),
    offsetMinute: field(59, 1),
  });
  fc.assert(
    fc.property(fields, ({ year, month, day, hour, minute, second, sign, offsetHour, offsetMinute }) => {
      const text =
        `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}` +
        `${sign}${pad(offsetHour, 2)}:${pad(offsetMinute, 2)}`;
      const inRange = hour <= 23 && minute <= 59 && second <= 59 && offsetHour <= 23 && offsetMinute <= 59;
      const offset = (offsetHour * 60 + offsetMinute) * (sign === '+' ? 1 : -1);
      const ms = daysFromCivil(year, month, day) * 86_400_000 + ((hour * 60 + minute - offset) * 60 + second) * 1000;
      const valid = inRange && exists(year, month, day) && ms >= FIRST_MS && ms <= LAST_MS;
      assert.equal(readText('DateTime', text), valid ? isoText(ms) : undefined, text);
    }),
    { numRuns: 5000 },
  );
});

test('DateTime: text that is nearly right is refused or means what Date.parse says', () => {
  const change = fc.record({
    at: fc.nat({ max: 30 }),
    cut: fc.nat({ max: 2 }),
    put: fc.string({ unit: fc.constantFrom(...'0123456789-+:.,TZtz \n'), maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.integer({ min: FIRST_MS, max: LAST_MS }), fc.array(change, { maxLength: 3 }), (ms, changes) => {
      let text = isoText(ms);
      for (const { at, cut, put } of changes) text = text.slice(0, at) + put + text.slice(at + cut);
      const kept = readText('DateTime', text);
      if (changes.length === 0) assert.equal(kept, text);
      if (kept !== undefined) assert.equal(isoText(Date.parse(text.toUpperCase())), kept);
    }),
    { numRuns: 5000 },
  );
});

test('DateTime: POSIX seconds with milliseconds are kept to the millisecond', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: FIRST_MS, max: LAST_MS }),
      fc.double({ min: -0.49, max: 0.49, noNaN: true }),
      (ms, off) => {
        assert.equal(readText('DateTime', ms / 1000), isoText(ms));
        // Away from the ends of the range and from where doubles are too coarse, a fraction rounds to the nearest.
        if (Math.abs(ms) < 4e12) assert.equal(readText('DateTime', (ms + off) / 1000), isoText(ms));
      },
    ),
    { numRuns: 3000 },
  );
});

test('DateTime: a POSIX number is accepted exactly within the range', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.double({ min: -3e11, max: 3e11, noNaN: true })), (seconds) => {
      const kept = readText('DateTime', seconds);
      assert.equal(kept !== undefined, seconds >= -62135596800 && seconds <= 253402300799.999);
      if (kept !== undefined) assert.ok(Math.abs(Date.parse(kept) - seconds * 1000) <= 0.51);
    }),
    { numRuns: 3000 },
  );
});

test('Date: accepted exactly when it is a day of the years 1 to 9999', () => {
  const number = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(number(9999), number(14), number(33), (year, month, day) => {
      const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
      assert.equal(readText('Date', text), year >= 1 && exists(year, month, day) ? text : undefined);
    }),
    { numRuns: 5000 },
  );
});

test('Time: all 86,400 of a day, and nothing beyond', () => {
  for (let hour = 0; hour < 26; hour += 1) {
    for (let minute = 0; minute < 62; minute += 1) {
      for (const second of [0, 1, 9, 10, 31, 58, 59, 60, 61, 99]) {
        const text = `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}`;
        assert.equal(readText('Time', text), hour < 24 && minute < 60 && second < 60 ? text : undefined);
      }
    }
  }
});

test('String: kept as it is but for line breaks, or refused for what UTF-8 or PostgreSQL cannot hold', () => {
  const unit = fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', '\0', '\ud800', '\udfff', '😀', 'a', '\u2028'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      let encodable = !text.includes('\0');
      try {
        encodeURIComponent(text);
      } catch {
        encodable = false;
      }
      assert.equal(readText('String', text), encodable ? text.split(/\r\n|\n|\r/).join('\n') : undefined);
    }),
    { numRuns: 3000 },
  );
});

// Valid input for every type, with the members that the server fills in sometimes sent back.
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
const userId = fc.stringMatching(/^u[a-z0-9]{7}$/);
const attachmentId = fc.stringMatching(/^a[a-z0-9]{26}$/);
const optional = { requiredKeys: ['type', 'id'] as ('type' | 'id')[] };
const SIMPLE_INPUTS: { [Name in SimpleTypeName]: fc.Arbitrary<unknown> } = {
  String: fc.record({ type: fc.constant('String'), value: text }),
  Number: fc.record({ type: fc.constant('Number'), value: finite }),
  Boolean: fc.record({ type: fc.constant('Boolean'), value: fc.boolean() }),
  DateTime: fc.record({
    type: fc.constant('DateTime'),
    value: fc
      .integer({ min: FIRST_MS, max: LAST_MS })
      .chain((ms) => fc.constantFrom<string | number>(isoText(ms), ms / 1000)),
  }),
  Date: fc.record({
    type: fc.constant('Date'),
    value: fc.integer({ min: FIRST_MS, max: LAST_MS }).map((ms) => isoText(ms).slice(0, 10)),
  }),
  Time: fc.record({
    type: fc.constant('Time'),
    value: fc.integer({ min: 0, max: 86_399_999 }).map((ms) => isoText(ms).slice(11, 19)),
  }),
  Location: fc.record(
    {
      type: fc.constant('Location'),
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      altitude: finite,
    },
    { requiredKeys: ['type', 'latitude', 'longitude'] },
  ),
  User: fc.record({ type: fc.constant('User'), id: userId, name: text }, optional),
  Attachment: fc.record(
    { type: fc.constant('Attachment'), id: attachmentId, name: text, contentType: text, size: fc.nat() },
    optional,
  ),
};
const objectInput = fc
  .array(
    fc.constantFrom(...OBJECT_KEYS).chain(({ name, type }) => SIMPLE_INPUTS[type].map((value) => ({ name, value }))),
    {
      maxLength: 8,
    },
  )
  .map((entries) => {
    const value = {};
    for (const entry of entries) {
      Object.defineProperty(value, entry.name, {
        value: entry.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return { type: 'Object', value };
  });
const arrayOf = (element: fc.Arbitrary<unknown>) =>
  fc.record({ type: fc.constant('Array'), value: fc.array(element, { maxLength: 6 }) });
const referenceInput = (type: string) =>
  fc.record(
    {
      type: fc.constant(type),
      collectionId: fc.constant(REFERENCE_SCHEME.collectionId),
      columnId: fc.constant(REFERENCE_SCHEME.columnId),
      recordId: fc.stringMatching(/^r[a-z0-9]{26}$/),
      recordHash: fc.string(),
      value: SIMPLE_INPUTS.User,
    },
    { requiredKeys: ['type', 'collectionId', 'columnId', 'recordId'] },
  );
const INPUTS: readonly (readonly [label: string, input: fc.Arbitrary<unknown>])[] = [
  ...SIMPLE_TYPES.map((type) => [type, SIMPLE_INPUTS[type]] as const),
  ['Object', objectInput],
  ...SIMPLE_TYPES.map((type) => [`Array${type}`, arrayOf(SIMPLE_INPUTS[type])] as const),
  ['ArrayObject', arrayOf(objectInput)],
  ...['ReferenceString', 'ReferenceNumber', 'ReferenceUser'].map((type) => [type, referenceInput(type)] as const),
];
const MEMBERS: Record<string, readonly string[]> = {
  Location: ['type', 'latitude', 'longitude', 'altitude'],
  User: ['type', 'id', 'name'],
  Attachment: ['type', 'id', 'name', 'contentType', 'size'],
  ReferenceString: ['type', 'collectionId', 'columnId', 'recordId'],
  ReferenceNumber: ['type', 'collectionId', 'columnId', 'recordId'],
  ReferenceUser: ['type', 'collectionId', 'columnId', 'recordId'],
};

test('the generated inputs cover every column', () => {
  assert.deepEqual(new Set(INPUTS.map(([label]) => columnIdOf(label))), new Set(COLUMNS.keys()));
});

test('every type: valid input is stored afresh, with the stored members only, and reading it again changes nothing', () => {
  for (const [label, input] of INPUTS) {
    const columnId = columnIdOf(label);
    fc.assert(
      fc.property(input, (sent) => {
        const before = JSON.stringify(sent);
        const result = read(columnId, sent);
        assert.ok('stored' in result, JSON.stringify(result));
        assert.equal(JSON.stringify(sent), before, 'the input is left as it was');
        assert.notEqual(result.stored, sent);
        const members = MEMBERS[label] ?? ['type', 'value'];
        assert.ok(Object.keys(result.stored).every((name) => members.includes(name)));
        assert.ok(label === 'Location' || Object.keys(result.stored).length === members.length);
        // As text, because deepEqual is blind to an own `__proto__`; JSON is also how it is stored.
        const kept = JSON.stringify(result.stored);
        const again = read(columnId, JSON.parse(kept));
        assert.ok('stored' in again, JSON.stringify(again));
        assert.equal(JSON.stringify(again.stored), kept);
      }),
      { numRuns: 100 },
    );
  }
});

const strangeKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'type', 'value', 'id', 'name'),
  fc.string(),
);
const { json: anyJson } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, '', 0, -0, true, [], {}, 1e308, Number.POSITIVE_INFINITY, 'String', 'Object'),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(strangeKey, tie('json'), { maxKeys: 4 }),
  ),
}));

/** A copy with one node, found by walking `steps` down, replaced, removed or given one more member. */
function mutate(
  value: unknown,
  steps: readonly number[],
  change: { key: string; put: unknown; drop: boolean },
): unknown {
  if (typeof value !== 'object' || value === null || steps.length === 0) return change.put;
  const copy = Array.isArray(value)
    ? [...(value as unknown[])]
    : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
  const keys = Object.keys(copy);
  const [step = 0, ...rest] = steps;
  const key = keys[step % (keys.length + 1)] ?? (Array.isArray(copy) ? String(keys.length) : change.key);
  if (change.drop && rest.length === 0) Reflect.deleteProperty(copy, key);
  else {
    const next = mutate(Object.hasOwn(copy, key) ? Reflect.get(copy, key) : undefined, rest, change);
    Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function assertStoredOrRefused(columnId: string, sent: unknown): void {
  const result = read(columnId, sent);
  if ('refused' in result) {
    const { columnId: named, reason, ...rest } = result.refused as { columnId: string; reason: string; path?: string };
    assert.equal(named, columnId);
    assert.ok(reason.length > 0 && reason.length < 500);
    assert.ok(rest.path === undefined ? Object.keys(rest).length === 0 : rest.path.startsWith('/'));
    return;
  }
  const kept = JSON.stringify(result.stored);
  JSON.parse(
    kept,
    (_, node: unknown) => assert.notEqual(node, null, 'nothing that JSON writes as null is stored') ?? node,
  );
  const again = read(columnId, JSON.parse(kept));
  assert.equal(JSON.stringify('stored' in again ? again.stored : again), kept);
  assert.equal(result.stored.type, COLUMNS.get(columnId)!.type);
  assert.equal(Object.getPrototypeOf(result.stored), Object.prototype);
}

test('every type: any JSON is stored or refused as INVALID_VALUE, and nothing else happens', () => {
  fc.assert(fc.property(fc.constantFrom(...COLUMNS.keys()), anyJson, assertStoredOrRefused), { numRuns: 3000 });
});

test('every type: valid input with one thing changed is stored or refused as INVALID_VALUE', () => {
  const change = fc.record({ key: strangeKey, put: anyJson, drop: fc.boolean() });
  for (const [label, input] of INPUTS) {
    fc.assert(
      fc.property(input, fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 4 }), change, (sent, steps, how) =>
        assertStoredOrRefused(columnIdOf(label), mutate(sent, steps, how)),
      ),
      { numRuns: 200 },
    );
  }
});

test('any map of values gives values or INVALID_VALUE', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(strangeKey, fc.constantFrom(...COLUMNS.keys())), anyJson),
      fc.boolean(),
      (input, nullRemoves) => {
        try {
          const { values, removed } = readValues(COLUMNS, input, { nullRemoves });
          const given = Object.keys(input);
          assert.deepEqual([...Object.keys(values), ...removed].sort(), given.sort());
          assert.deepEqual(
            removed,
            Object.keys(input).filter((columnId) => nullRemoves && input[columnId] === null),
          );
        } catch (error) {
          assert.ok(error instanceof Fault && error.code === 'INVALID_VALUE', String(error));
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('every target is the object that will be stored, found at its path', () => {
  fc.assert(
    fc.property(fc.record(Object.fromEntries(INPUTS.map(([label, input]) => [columnIdOf(label), input]))), (input) => {
      const { values, targets } = readValues(COLUMNS, input, { nullRemoves: false });
      for (const target of targets) {
        const steps = target.path
          .split('/')
          .slice(1)
          .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
        let node: unknown = values[target.columnId];
        for (const step of steps.slice(0, -1)) node = Reflect.get(node as object, step);
        assert.equal(node, target.value);
        assert.equal(Reflect.get(target.value, steps.at(-1)!), target.id);
      }
      const written = JSON.stringify(values);
      const pointing = written.match(/"type":"(User|Attachment|Reference(String|Number|User))"/g) ?? [];
      assert.equal(targets.length, pointing.length);
    }),
    { numRuns: 200 },
  );
});

test('unique keys: equal exactly for equal values, and short', () => {
  const parts = fc.tuple(fc.constantFrom('', '=', '#', 'a', '字', '😀'), fc.integer({ min: 0, max: 410 }), text);
  const long = parts.map(([unit, times, end]) => unit.repeat(times) + end);
  fc.assert(
    fc.property(long, long, (left, right) => {
      const [leftKey, rightKey] = [left, right].map((value) => uniqueKey({ type: 'String', value }));
      assert.equal(leftKey === rightKey, left === right);
      assert.ok(Buffer.byteLength(leftKey!) <= 420);
      assert.equal(uniqueKey({ type: 'String', value: `${left}` }), leftKey);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(finite, finite, (left, right) => {
      assert.equal(
        uniqueKey({ type: 'Number', value: left }) === uniqueKey({ type: 'Number', value: right }),
        left === right,
      );
    }),
  );
});
