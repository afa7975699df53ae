// The check that every reply in the tests goes through must be able to fail.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkReply, checkShapes, OPERATOR_SUCCESSES } from '../support/reply-shapes.ts';
import { ROWS } from '../support/route-rows.ts';

const APPLICATION = `/v1/p${'0'.repeat(26)}`;
const USER = {
  id: 'u1234567',
  name: 'Ada',
  email: 'ada@example.com',
  admin: true,
  apiAccess: true,
  managementApiAccess: true,
  organizationManagementApiAccess: false,
  profile: { name: 'Standard' },
  disabled: false,
};

const check = (method: string, path: string, status: number, body: unknown) => () =>
  checkReply(method, path, { status, contentType: 'application/json; charset=utf-8', text: JSON.stringify(body) });

describe('the check of replies', () => {
  const user = `${APPLICATION}/management/users/u1234567`;

  it('has shapes that are JSON Schema, with references that lead somewhere', () => {
    assert.ok(checkShapes() > 100);
  });

  it('takes a success of the right shape', () => {
    assert.doesNotThrow(check('GET', user, 200, USER));
  });

  it('refuses a success with a member missing, of another type or beyond the shape', () => {
    const { email: _missing, ...without } = USER;
    for (const body of [without, { ...USER, admin: 'yes' }, { ...USER, secret: '' }, [USER]]) {
      assert.throws(check('GET', user, 200, body), assert.AssertionError);
    }
    assert.throws(check('GET', `${user.slice(0, -9)}?limit=1`, 200, [{ ...USER, id: '' }]), assert.AssertionError);
  });

  it('takes a refusal with a known code and its status, and no other', () => {
    assert.doesNotThrow(check('GET', user, 404, { code: 'USER_NOT_FOUND', params: { userId: 'u1234567' } }));
    assert.throws(check('GET', user, 400, { code: 'USER_NOT_FOUND' }), assert.AssertionError);
    assert.throws(check('GET', user, 404, { code: 'NO_SUCH_CODE' }), assert.AssertionError);
    assert.throws(check('GET', user, 404, { code: 'USER_NOT_FOUND', stack: '' }), assert.AssertionError);
  });

  it('refuses a body where none may be, and a success where there is no route', () => {
    assert.throws(check('DELETE', user, 204, {}), assert.AssertionError);
    assert.throws(check('DELETE', user, 200, {}), assert.AssertionError);
    assert.throws(check('GET', `${APPLICATION}/nothing`, 200, {}), assert.AssertionError);
  });

  it('checks each line of a reply that is lines', () => {
    const doctor = (...lines: object[]) =>
      checkReply('POST', '/operator/v1/doctor?mend=true', {
        status: 200,
        contentType: 'application/x-ndjson',
        text: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      });
    const line = { type: 'progress', step: 'files', done: 1 };
    assert.doesNotThrow(() => doctor(line, { ...line, total: 2 }));
    assert.throws(() => doctor(line, { ...line, step: 'coffee' }), assert.AssertionError);
  });

  it('knows what every route of the operator replies, and no other', () => {
    const titles = ROWS.filter(({ side }) => side === 'operator').map(({ title }) => title);
    assert.deepEqual(Object.keys(OPERATOR_SUCCESSES).sort(), titles.sort());
  });
});
