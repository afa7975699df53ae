// The tables of the interface for the bodies of users, written down once more as data: what each property is in which
// mode, and which values of it are answered how. From this test/people/table.test.ts makes its cases.

import type { UserModes } from '../../src/wire/users.ts';

export type Verb = 'create' | 'update';

/** `refused`: must not be given. */
type Need = 'required' | 'optional' | 'refused';

export interface Refusal {
  readonly code: string;
  readonly property?: string;
}

export interface Property {
  readonly name: string;
  readonly kind: 'text' | 'flag' | 'named';
  need(verb: Verb, modes: UserModes): Need;
  /** Values of the right type and what they are refused with; undefined for those that are taken. */
  readonly values: readonly (readonly [unknown, Refusal | undefined])[];
}

const invalid = (property: string): Refusal => ({ code: 'INVALID_PROPERTY', property });
const weak: Refusal = { code: 'WEAK_PASSWORD', property: 'password' };
const always = (): Need => 'required';

export const NAMES: Property['values'] = [
  ['', invalid('name')],
  ['_', invalid('name')],
  ['_admin', invalid('name')],
  ['x'.repeat(65), invalid('name')],
  ['🦉'.repeat(65), invalid('name')],
  ['a\u0000b', invalid('name')],
  ['a\nb', invalid('name')],
  ['a\ud800', invalid('name')],
  ['x', undefined],
  ['a_', undefined],
  ['名'.repeat(64), undefined],
  ['🦉'.repeat(64), undefined],
  ['<script>%_\\\'"', undefined],
];

export const EMAILS: Property['values'] = [
  ['', invalid('email')],
  ['nobody', invalid('email')],
  ['a@b@c', invalid('email')],
  ['a b@c', invalid('email')],
  ['a@b\u0000', invalid('email')],
  [`${'x'.repeat(250)}@b.cd`, invalid('email')],
  [`${'x'.repeat(249)}@b.cd`, undefined],
  ['山田@例え.テスト', undefined],
  ['a@b.c,evil', invalid('email')],
  ['<a@b.c', invalid('email')],
  ['grp:a@b.c;', invalid('email')],
  ['"a"@b.c', invalid('email')],
  ["o'hara+x/y=z&{a}..b@sub-domain.example", undefined],
];

export const PASSWORDS: Property['values'] = [
  ['', weak],
  ['Short1a', weak],
  ['alllowercase1', weak],
  ['ALLUPPERCASE1', weak],
  ['NoDigitsHere', weak],
  [`Aa1${'x'.repeat(998)}`, weak],
  ['Passw0rd', undefined],
  [`Aa1${'🦉'.repeat(997)}`, undefined],
];

const FLAGS: Property['values'] = [
  [false, undefined],
  [true, undefined],
];

const local = (verb: Verb, { sharedUsersModeEnabled }: UserModes, onUpdate: Need): Need =>
  sharedUsersModeEnabled ? 'refused' : verb === 'create' ? 'required' : onUpdate;
const inTeams = (_verb: Verb, { teamsModeEnabled }: UserModes): Need => (teamsModeEnabled ? 'required' : 'refused');

export const PROPERTIES: readonly Property[] = [
  { name: 'name', kind: 'text', need: (verb) => (verb === 'create' ? 'required' : 'refused'), values: NAMES },
  { name: 'email', kind: 'text', need: (verb, modes) => local(verb, modes, 'required'), values: EMAILS },
  { name: 'password', kind: 'text', need: (verb, modes) => local(verb, modes, 'optional'), values: PASSWORDS },
  { name: 'admin', kind: 'flag', need: always, values: FLAGS },
  // Without it the other accesses are refused: tested as combinations.
  { name: 'apiAccess', kind: 'flag', need: always, values: FLAGS },
  { name: 'managementApiAccess', kind: 'flag', need: always, values: FLAGS },
  {
    name: 'organizationManagementApiAccess',
    kind: 'flag',
    need: () => 'optional',
    values: [
      [false, undefined],
      [true, invalid('organizationManagementApiAccess')],
    ],
  },
  {
    name: 'profile',
    kind: 'named',
    need: always,
    values: [
      [{ name: 'Visitor' }, undefined],
      [{ name: 'visitor' }, { code: 'UNKNOWN_PROFILE' }],
      [{ name: '' }, { code: 'UNKNOWN_PROFILE' }],
      [{ name: 'a\u0000' }, { code: 'UNKNOWN_PROFILE' }],
    ],
  },
  {
    name: 'team',
    kind: 'named',
    need: inTeams,
    values: [
      [{ name: 'Osaka' }, undefined],
      [{ name: 'osaka' }, { code: 'UNKNOWN_TEAM' }],
      [{ name: '' }, { code: 'UNKNOWN_TEAM' }],
    ],
  },
  { name: 'teamLeader', kind: 'flag', need: inTeams, values: FLAGS },
  {
    name: 'disabled',
    kind: 'flag',
    need: (verb) => (verb === 'update' ? 'required' : 'refused'),
    values: FLAGS,
  },
];

/** One of each kind of JSON. */
const KINDS: readonly (readonly [Property['kind'] | undefined, unknown])[] = [
  [undefined, null],
  ['text', 'text'],
  ['flag', true],
  [undefined, 0],
  [undefined, []],
  ['named', { name: 'Standard' }],
];

export const wrongTypes = ({ kind }: Pick<Property, 'kind'>): unknown[] =>
  KINDS.filter(([of]) => of !== kind).map(([, value]) => value);

/** What no body has. Texts, because an object literal would take `__proto__` for something else. */
export const STRANGERS: readonly string[] = [
  'id',
  '__proto__',
  'constructor',
  'toString',
  'createdAt',
  'passwordHash',
  'sharedUserId',
  'Name',
  '',
  '🦉'.repeat(60),
];

export const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));

/** The text of the body with one more member. */
export const withMember = (body: object, name: string, value: unknown): string =>
  `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;
