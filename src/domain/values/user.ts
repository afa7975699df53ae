// User: names a user of the application by its identifier. A later lookup checks that the user exists and fills in the name.

import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import type { UserValue } from '../../wire/values.ts';
import { readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

export const userType: ValueType<UserValue> = {
  name: 'User',
  members: ['id', 'name'],
  required: ['id'],
  sortable: true,
  read(input, { columnId, path, targets }) {
    const id = required(readMembers(userType, input, path), 'id', path);
    if (!isIdentifier('userId', id)) {
      throw new ValueProblem(`"id" must be the identifier of a user, of the form ${PATTERNS.userId}`, `${path}/id`);
    }
    const value: UserValue = { type: 'User', id, name: '' };
    targets.push({ kind: 'user', columnId, path: `${path}/id`, id, value });
    return value;
  },
  uniqueKey: ({ id }) => `=${id}`,
};
