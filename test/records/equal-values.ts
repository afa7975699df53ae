// For every type that may be unique: a value, another form of the same one, and a different one.

import { number, string } from '../support/application.ts';
import type { AnyValue } from '../support/records.ts';

export type EqualValues = readonly [columnId: string, value: AnyValue, same: AnyValue, different: AnyValue];

/** For columns with these identifiers; the last is a Reference, to which `refer` points. */
export function equalValues(
  refer: (recordId: string) => AnyValue,
  { records, users }: { records: readonly [string, string]; users: readonly [string, string] },
): EqualValues[] {
  return [
    ['cstring0', string('a\nb'), string('a\r\nb'), string('a\nB')],
    ['cnumber0', number(0), number(-0), number(5e-324)],
    [
      'cdatetim',
      { type: 'DateTime', value: '2024-05-01T10:30:00.000Z' },
      { type: 'DateTime', value: 1714559400 },
      { type: 'DateTime', value: '2024-05-01T10:30:00.001Z' },
    ],
    [
      'cdate000',
      { type: 'Date', value: '2024-05-01' },
      { type: 'Date', value: '2024-05-01' },
      { type: 'Date', value: '2024-05-02' },
    ],
    [
      'ctime000',
      { type: 'Time', value: '10:30:00' },
      { type: 'Time', value: '10:30:00' },
      { type: 'Time', value: '10:30:01' },
    ],
    [
      'cuser000',
      { type: 'User', id: users[0] },
      { type: 'User', id: users[0], name: 'called otherwise' },
      { type: 'User', id: users[1] },
    ],
    ['crefsite', refer(records[0]), { ...refer(records[0]), value: string('said to be') }, refer(records[1])],
  ];
}
