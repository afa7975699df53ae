// What people paste to get to their application.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf } from '../../console/src/sign-in/pasted-address.ts';

const HERE = 'https://records.example.com';
const ID = 'p0123456789abcdefghjkmnpqrs';
const opens = (pasted: string) => destinationOf(pasted, HERE);

test('a link into this console opens that page', () => {
  for (const path of [
    `/console/${ID}`,
    `/console/${ID}/t1/r1?search=a%20b#x`,
    '/console/resetPassword#application=p&token=t',
  ]) {
    assert.deepEqual(opens(` ${HERE}${path}\n`), { kind: 'page', path });
  }
});

test('an ID opens the application, also out of a link of another address', () => {
  const texts = [ID, ` ${ID} `, `http://10.0.0.7:8080/console/${ID}/t1`, `records.example.com/console/${ID}`];
  for (const text of [...texts, `${HERE}/v1/${ID}/session`]) {
    assert.deepEqual(opens(text), { kind: 'application', application: ID }, text);
  }
});

test('anything else is taken as it is, and runs nothing', () => {
  for (const text of ['Field inspections', 'javascript:alert(1)', `${HERE}.evil.example/console/x`, `x${ID}`]) {
    assert.deepEqual(opens(text), { kind: 'application', application: text }, text);
  }
  assert.equal(opens('  '), undefined);
});
