// What the commands for users and for shared users have in common: their lists, and how a person is named.

import { foldText } from '../../domain/search/fold.ts';
import { usageFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { countOf, printTable } from './columns.ts';
import { readPages, wholeList } from './names.ts';
import { type PasswordOptions, readPassword } from './passwords.ts';
import { JSON_OPTION, type OptionRow, type Printing, printJson } from './row.ts';

const TOP_DEFAULT = 100;
const TOP_MAX = 10_000;

export const TOP_OPTION: OptionRow = { flags: '--top <number>', text: `how many to list, by default ${TOP_DEFAULT}` };

export const PEOPLE_LIST_OPTIONS: readonly OptionRow[] = [
  { flags: '--search <text>', text: 'only those with the text in their name, e-mail address, profile or team' },
  { flags: '--name <text>', text: 'only those with the text in their name' },
  { flags: '--email <text>', text: 'only those with the text in their e-mail address' },
  TOP_OPTION,
  JSON_OPTION,
];

export interface ListOptions extends Printing {
  readonly top?: string;
}

export interface PeopleListOptions extends ListOptions {
  readonly search?: string;
  readonly name?: string;
  readonly email?: string;
}

interface List<T> {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly headings: readonly string[];
  readonly row: (one: T) => readonly string[];
  /** Printed if there is nothing to list. */
  readonly none: string;
}

/** Prints as many as `--top` says, and tells if there are more. */
export async function printList<T>(
  client: OperatorClient,
  { path, parameters = {}, headings, row, none }: List<T>,
  options: ListOptions,
): Promise<void> {
  const top = readTop(options.top);
  const given = Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const found = await readPages<T>(client, path, { parameters: given, atMost: top + 1 });
  const listed = found.slice(0, top);
  if (options.json) printJson(listed);
  else if (listed.length === 0) console.log(none);
  else printTable([headings, ...listed.map(row)]);
  if (found.length > top) console.error('There are more; --top lists as many as you say.');
}

function readTop(text: string | undefined): number {
  if (text === undefined) return TOP_DEFAULT;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= TOP_MAX) return number;
  throw usageFailure(`--top must be a whole number from 1 to ${TOP_MAX.toLocaleString('en')}.`);
}

export const personTitle = ({ id, name }: { readonly id: string; readonly name: string }): string => `${name} (${id})`;

interface Person {
  readonly id: string;
  readonly email: string;
}

/** `list`: the path of the users, or shared users, of which `person` is one. */
export async function warnOfSameEmail(client: OperatorClient, list: string, person: Person): Promise<void> {
  const found = await readPages<Person>(client, list, { parameters: { email: person.email }, ...wholeList });
  const folded = foldText(person.email);
  const others = found.filter(({ id, email }) => id !== person.id && foldText(email) === folded).length;
  if (others === 0) return;
  console.error(
    `Warning: ${countOf(others, 'other user has', 'other users have')} the address ${person.email} too. As long as several users of an application have it, none of them can sign in by e-mail, only by user ID.`,
  );
}

export const CONFIRM_DELETE: OptionRow = { flags: '--yes', text: 'confirm that it is deleted', required: true };

/** A user or shared user, and where the operator's interface has it. */
interface FoundPerson {
  readonly user: { readonly id: string; readonly name: string };
  readonly path: string;
}

export async function deletePerson(client: OperatorClient, { user, path }: FoundPerson): Promise<void> {
  await client.send('DELETE', path);
  console.log(`Deleted ${personTitle(user)}.`);
}

export async function setPassword(
  client: OperatorClient,
  { user, path }: FoundPerson,
  options: PasswordOptions,
): Promise<void> {
  await client.send('PUT', `${path}/password`, { password: await readPassword(options) });
  console.log(`${personTitle(user)} has a new password.`);
}
