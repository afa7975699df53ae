// The check that every reply in the tests goes through must be able to fail.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkReply } from '../support/reply-shapes.ts';

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
  checkReply(method, path, { status, contentType: 'application/json', text: JSON.stringify(body) });

describe('the check of replies', () => {
  const user = `${APPLICATION}/management/users/u1234567`;

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

  it('refuses a body where none may be', () => {
    assert.throws(check('DELETE', user, 204, {}), assert.AssertionError);
  });
});
