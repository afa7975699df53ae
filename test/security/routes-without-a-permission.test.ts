// Rows without a permission: every route says whom it is for, and those for everyone are listed here, so that a new one
// is a decision and not a slip.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NAMED_ROWS, PERMISSIONS, ROWS } from '../support/route-rows.ts';

/** Signing in, what a client needs before it, and what has no secret. */
const OPEN = [
  'GET /operator/v1/publish-document.schema.json',
  'GET /signOn/callback/:organization',
  'GET /v1/:applicationId/session/methods',
  'GET /v1/:applicationId/session/singleSignOn',
  'POST /operator/v1/proof',
  'POST /v1/:applicationId/session',
  'POST /v1/:applicationId/session/passwordReset',
  'PUT /v1/:applicationId/session/passwordReset',
];

describe('routes', () => {
  it('that anyone may use are these', () => {
    const open = ROWS.filter(({ permission }) => permission === 'open').map(({ title }) => title);
    assert.deepEqual(open.sort(), OPEN);
  });

  it('otherwise ask for a permission that is known', () => {
    const known = ['self', 'operator', 'key', 'open', ...Object.keys(PERMISSIONS)];
    for (const { title, permission } of [...ROWS, ...NAMED_ROWS]) {
      assert.ok(known.includes(permission), `${title}: ${permission}`);
    }
  });

  it('of the operator are for the operator, and those that make operators for the key alone', () => {
    for (const { title, permission } of ROWS.filter(({ path }) => path.startsWith('/operator/'))) {
      assert.ok(OPEN.includes(title) || permission === 'operator' || permission === 'key', title);
      if (/\/operator$/.test(title)) assert.equal(permission, 'key', title);
    }
    assert.ok(NAMED_ROWS.every(({ permission }) => permission === 'operator'));
    assert.ok(NAMED_ROWS.every(({ path }) => !path.endsWith('/operator')));
  });

  it('of management are for those who manage', () => {
    for (const { title, path, permission } of ROWS.filter(({ path: each }) => each.includes('/management/'))) {
      const needed = path.includes('/sharedUsers') ? ['organization'] : ['management', 'admin', 'organization'];
      assert.ok(needed.includes(permission), `${title}: ${permission}`);
    }
  });
});
