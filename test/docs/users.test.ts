// docs/users.md has a row for every member of every body, and the bounds that it tells are the real ones.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../../src/domain/people/passwords.ts';
import { EMAIL_MAX, USER_NAME_MAX } from '../../src/domain/people/users.ts';
import { LIST_LIMIT_MAX, USER_LIST_PARAMETERS } from '../../src/http/requests/list-parameters.ts';
import { NewSharedUser, NewUser, SharedUserUpdate, UserUpdate } from '../../src/wire/users.ts';
import { codeIn, tableOf } from '../support/markdown.ts';

const BODIES = {
  'Member of a new user': NewUser,
  'Member of an update': UserUpdate,
  'Member of a new shared user': NewSharedUser,
  'Member of an update of a shared user': SharedUserUpdate,
};

describe('docs/users.md', () => {
  for (const [head, schema] of Object.entries(BODIES)) {
    it(`has every ${head.toLowerCase()} and no other`, () => {
      const members = tableOf('users', head).map(([name]) => codeIn(name));
      assert.deepEqual(members, Object.keys(schema.properties));
    });
  }

  it('tells the bounds that hold', () => {
    const rules = Object.fromEntries(tableOf('users', 'Member of a new user').map(([name, , rule]) => [name, rule]));
    assert.match(rules['`name`'] ?? '', new RegExp(`1 to ${USER_NAME_MAX} characters`));
    assert.match(rules['`email`'] ?? '', new RegExp(`at most ${EMAIL_MAX} characters`));
    const longest = PASSWORD_CHARACTERS_MAX.toLocaleString('en-US');
    assert.match(rules['`password`'] ?? '', new RegExp(`${PASSWORD_CHARACTERS_MIN} to ${longest} characters`));
    const parameters = tableOf('users', 'Parameter', 'Rules');
    assert.deepEqual(parameters.map(([name]) => codeIn(name)).sort(), Object.keys(USER_LIST_PARAMETERS).sort());
    assert.match(parameters.join(), new RegExp(`from 1 to ${LIST_LIMIT_MAX}`));
  });
});
