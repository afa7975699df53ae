// Reads a pasted table of people: one a line, from a spreadsheet or a CSV file, with or without a line of headings.

import { readTable } from '../grid/edit/clipboard-table.ts';
import { type Right, withRight } from './rights.ts';
import { type Modes, NOBODY_YET, type UserValues } from './user-form.ts';

/** What an hour of most plans allows to create. */
export const PEOPLE_MAX = 1_000;

const FIELDS = ['name', 'email', 'profile', 'team', 'teamLeader', 'rights', 'admin', 'managementApiAccess'] as const;
type Field = (typeof FIELDS)[number];

const HEADINGS: Readonly<Record<Field, readonly string[]>> = {
  name: ['name', 'full name', 'user', 'user name', '名前', '氏名', 'ユーザー', 'ユーザー名'],
  email: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'メール', 'メールアドレス', 'eメール'],
  profile: ['profile', 'プロファイル', 'プロフィール'],
  team: ['team', 'department', 'チーム', '部署', '所属'],
  teamLeader: ['team leader', 'leader', 'leads the team', 'チームリーダー', 'リーダー'],
  rights: ['rights', 'flags', 'role', 'roles', 'access', '権限', '役割'],
  admin: ['admin', 'administrator', '管理者'],
  managementApiAccess: ['management', 'manager', 'management access', 'manages people', 'ユーザー管理', 'メンバー管理'],
};

/** What stands in a column of rights. */
const WORDS: Readonly<Record<Right | 'teamLeader' | 'noApiAccess' | 'usual', readonly string[]>> = {
  admin: HEADINGS.admin,
  managementApiAccess: HEADINGS.managementApiAccess,
  organizationManagementApiAccess: ['organization', 'organization management', '組織管理'],
  apiAccess: ['api', 'api access', 'data', 'データ'],
  noApiAccess: ['no api', 'no api access', 'no data', 'データなし'],
  teamLeader: HEADINGS.teamLeader,
  usual: ['user', 'member', 'none', '-', 'なし', '一般', 'メンバー'],
};

const YES = ['true', 'yes', 'y', '1', 'x', 'on', 'はい', '✓', '✔', '☑', '○', '◯'];
const NO = ['', 'false', 'no', 'n', '0', 'off', 'いいえ', '☐', '×', '-'];

/** Full-width letters become plain ones. */
const plain = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

export type PastedProblem =
  | { readonly kind: 'nameMissing' | 'emailMissing' | 'profileMissing' | 'teamMissing' | 'twice' }
  | { readonly kind: 'unknownProfile' | 'unknownTeam' | 'unknownWord'; readonly text: string };

export interface PastedPerson {
  /** Of the pasted text, from 1. */
  readonly line: number;
  readonly values: UserValues;
  readonly problems: readonly PastedProblem[];
}

export interface PastedPeople {
  readonly people: readonly PastedPerson[];
  /** Headings of columns that are not read. */
  readonly ignored: readonly string[];
  /** Lines beyond the limit. */
  readonly left: number;
}

export interface PastedScene extends Modes {
  readonly profiles: readonly string[];
  readonly teams: readonly string[];
  /** For lines that name none. */
  readonly profile: string;
  readonly team: string;
}

export function readPeople(text: string, scene: PastedScene): PastedPeople {
  const table = readTable(text, separatorOf(text));
  const headings = table[0]?.map(fieldOf) ?? [];
  // Words like admin stand in lines, too.
  const headed = headings.includes('name') || headings.includes('email');
  const columns: readonly (Field | undefined)[] = headed ? headings : usualColumns(scene);
  const lines = table
    .map((cells, index) => ({ cells, line: index + 1 }))
    .slice(headed ? 1 : 0)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const names = new Set<string>();
  const people = lines.slice(0, PEOPLE_MAX).map(({ cells, line }) => {
    const person = readPerson(cells, columns, scene);
    const twice = person.values.name !== '' && names.has(person.values.name);
    names.add(person.values.name);
    return { line, ...person, problems: [...person.problems, ...(twice ? [{ kind: 'twice' } as const] : [])] };
  });
  const ignored = headed
    ? (table[0] ?? []).filter((cell, index) => headings[index] === undefined && cell.trim() !== '')
    : [];
  return { people, ignored, left: Math.max(0, lines.length - PEOPLE_MAX) };
}

/** Spreadsheets paste tabs. Otherwise the more frequent of those that CSV files use in the first line. */
function separatorOf(text: string): string {
  if (text.includes('\t')) return '\t';
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1);
  return first.split(';').length > first.split(',').length ? ';' : ',';
}

const fieldOf = (heading: string): Field | undefined =>
  FIELDS.find((field) => HEADINGS[field].includes(plain(heading)));

const usualColumns = ({ sharedUsersModeEnabled, teamsModeEnabled }: Modes): readonly Field[] => [
  'name',
  ...(sharedUsersModeEnabled ? [] : (['email'] as const)),
  ...(teamsModeEnabled ? (['team'] as const) : []),
  'rights',
  'profile',
];

function readPerson(
  cells: readonly string[],
  columns: readonly (Field | undefined)[],
  scene: PastedScene,
): Omit<PastedPerson, 'line'> {
  const { sharedUsersModeEnabled, teamsModeEnabled } = scene;
  const cell = (field: Field): string => cells[columns.indexOf(field)]?.trim() ?? '';
  const profile = named(cell('profile'), scene.profiles) ?? scene.profile;
  const team = teamsModeEnabled ? (named(cell('team'), scene.teams) ?? scene.team) : '';
  const problems: PastedProblem[] = [];
  const basis: UserValues = {
    ...NOBODY_YET,
    name: cell('name'),
    email: sharedUsersModeEnabled ? '' : cell('email'),
    profile,
    team,
  };
  if (basis.name === '') problems.push({ kind: 'nameMissing' });
  if (!sharedUsersModeEnabled && basis.email === '') problems.push({ kind: 'emailMissing' });
  if (profile === '') problems.push({ kind: 'profileMissing' });
  else if (!scene.profiles.includes(profile)) problems.push({ kind: 'unknownProfile', text: profile });
  if (teamsModeEnabled && team === '') problems.push({ kind: 'teamMissing' });
  else if (teamsModeEnabled && !scene.teams.includes(team)) problems.push({ kind: 'unknownTeam', text: team });
  const { values, unknown } = withWords(basis, [
    ...cell('rights').split(/[,;、，/|+]/),
    ...FIELDS.flatMap((field) => (isFlag(field) ? wordsOf(field, cell(field)) : [])),
  ]);
  problems.push(...unknown.map((text) => ({ kind: 'unknownWord' as const, text })));
  return { values: teamsModeEnabled ? values : { ...values, teamLeader: false }, problems };
}

/** As it is published, whatever case it is written in; undefined for an empty cell. */
const named = (text: string, names: readonly string[]): string | undefined =>
  text === '' ? undefined : (names.find((name) => plain(name) === plain(text)) ?? text);

const isFlag = (field: Field): field is 'teamLeader' | 'admin' | 'managementApiAccess' =>
  field === 'teamLeader' || field === 'admin' || field === 'managementApiAccess';

/** A column of its own says yes or no; anything else is a slip that has to be seen. */
function wordsOf(field: Field, cell: string): readonly string[] {
  if (YES.includes(plain(cell))) return [HEADINGS[field][0] ?? ''];
  return NO.includes(plain(cell)) ? [] : [cell];
}

function withWords(
  basis: UserValues,
  words: readonly string[],
): { readonly values: UserValues; readonly unknown: readonly string[] } {
  let values = basis;
  const unknown: string[] = [];
  for (const word of words.map((each) => each.trim()).filter((each) => each !== '')) {
    const meant = (Object.keys(WORDS) as (keyof typeof WORDS)[]).find((each) => WORDS[each].includes(plain(word)));
    if (meant === undefined) unknown.push(word);
    else if (meant === 'teamLeader') values = { ...values, teamLeader: true };
    else if (meant === 'noApiAccess') values = { ...values, ...withRight(values, 'apiAccess', false) };
    else if (meant !== 'usual') values = { ...values, ...withRight(values, meant, true) };
  }
  return { values, unknown };
}
