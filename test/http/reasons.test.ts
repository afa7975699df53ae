// What is said of a wrong body is a sentence for people, not one of the validator.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emailProblem } from '../../src/domain/people/users.ts';
import { one } from '../../src/http/requests/shapes.ts';
import { NotificationRequest } from '../../src/wire/notifications.ts';
import { OrganizationSettings } from '../../src/wire/operator.ts';
import { NewToken } from '../../src/wire/tokens.ts';

const token = one(NewToken);
const notification = one(NotificationRequest);
const organization = one(OrganizationSettings);
const SIGN_ON = { issuer: 'https://login.example.com', clientId: 'c' };

describe('the reason', () => {
  for (const [shape, body, path, reason] of [
    [token, 1, '', 'must be an object'],
    [token, {}, '/name', 'is missing'],
    [token, { name: 1 }, '/name', 'must be a text'],
    [token, { name: '' }, '/name', 'must not be empty'],
    [token, { name: 'x'.repeat(101) }, '/name', 'must have at most 100 characters'],
    [token, { name: 'x', secret: 'y' }, '/secret', 'is not known here; known are name and expiresAt'],
    [notification, { body: 'x', sound: 'loud' }, '/sound', 'must be one of default, ""'],
    // It may be null as well, which is not what is wrong with it.
    [organization, { singleSignOn: 1 }, '/singleSignOn', 'must be an object'],
    [organization, { singleSignOn: { ...SIGN_ON, issuer: '' } }, '/singleSignOn/issuer', 'must not be empty'],
    [organization, { singleSignOn: { issuer: 'x' } }, '/singleSignOn/clientId', 'is missing'],
    [
      organization,
      { singleSignOn: { ...SIGN_ON, emailsAreVerified: 'yes' } },
      '/singleSignOn/emailsAreVerified',
      'must be true or false',
    ],
  ] as const) {
    it(`for ${JSON.stringify(body).slice(0, 80)} is that it ${reason}`, () => {
      assert.throws(() => shape.read(body), { code: 'INVALID_BODY', params: { path, reason } });
    });
  }

  it('for an e-mail address tells one that is too long from one that is none', () => {
    assert.equal(emailProblem('nobody')?.reason, 'must be an e-mail address');
    assert.equal(emailProblem(`${'x'.repeat(250)}@b.cd`)?.reason, 'must have at most 254 characters');
  });
});
