// What a shell offers at the end of an unfinished command: words and options from the table of commands, names from
// what is kept on this machine. No server is asked: completion must not be slower than typing.

import { connectionOptions } from './commands/connection-options.ts';
import type { CommandRow, OptionRow } from './commands/row.ts';
import { keptProfile } from './logins.ts';
import { type CachedNames, cachedNames } from './name-cache.ts';
import { readProfiles } from './profiles.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** `words`: those after the program's name, the last of them unfinished and perhaps empty. */
export async function completionsFor(
  rows: readonly CommandRow[],
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const given = words.map(unquoted);
  const prefix = given.at(-1) ?? '';
  const before = given.slice(0, -1);
  const candidates = await candidatesFor(rows, before, { prefix, environment });
  const fold = (text: string) => text.toLowerCase();
  const found = candidates.filter((candidate) => fold(candidate).startsWith(fold(prefix)));
  return [...new Set(found)];
}

/** A word as the shell hands it over still has the quotes and backslashes that were typed. */
const unquoted = (word: string): string => word.replace(/^['"]/, '').replace(/['"]$/, '').replaceAll(/\\(.)/g, '$1');

interface Unfinished {
  readonly prefix: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function candidatesFor(
  rows: readonly CommandRow[],
  before: readonly string[],
  unfinished: Unfinished,
): Promise<readonly string[]> {
  const found = rows.map((row) => ({ row, names: namesOf(row) })).filter(({ names }) => isBeginning(before, names));
  const depth = before.length;
  const next = found.flatMap(({ names }) => (names.length > depth ? [names[depth] ?? ''] : []));
  if (next.length > 0) return depth === 0 ? [...next, 'help', '--help', '--version'] : next;
  const row = found.find(({ names }) => names.length <= depth);
  return row === undefined ? [] : argumentsFor(row.row, before.slice(row.names.length), { before, ...unfinished });
}

/** The words of a command without its arguments: `records`, `list`. */
const namesOf = ({ usage }: CommandRow): string[] => usage.split(' ').filter((word) => /^\w/.test(word));
const argumentsOf = ({ usage }: CommandRow): string[] => usage.split(' ').filter((word) => !/^\w/.test(word));

const isBeginning = (before: readonly string[], names: readonly string[]): boolean =>
  names.slice(0, before.length).every((name, index) => name === before[index]) ||
  names.every((name, index) => name === before[index]);

async function argumentsFor(
  row: CommandRow,
  given: readonly string[],
  unfinished: Unfinished & { readonly before: readonly string[] },
): Promise<readonly string[]> {
  const options = [...(row.options ?? []), ...connectionOptions(row)];
  const optionWithValue = (flag: string | undefined) =>
    options.find(({ flags }) => flagOf({ flags }) === flag && /</.test(flags));
  const open = optionWithValue(given.at(-1));
  const names = await namesIn(row, given, unfinished.environment);
  if (open !== undefined) return names(/<(.*)>/.exec(open.flags)?.[1] ?? '');
  if (unfinished.prefix.startsWith('-')) return [...options.map(flagOf), '--help'];
  const positional = given.filter(
    (word, index) => !word.startsWith('-') && optionWithValue(given[index - 1]) === undefined,
  );
  const wanted = argumentsOf(row);
  const argument = wanted[positional.length] ?? (wanted.at(-1)?.includes('...') ? wanted.at(-1) : undefined);
  return argument === undefined ? [] : names(argument.replaceAll(/[<>[\].]/g, ''));
}

const flagOf = ({ flags }: Pick<OptionRow, 'flags'>): string => flags.split(' ')[0] ?? '';

/** Names for an argument, by the word that stands for it in the usage. */
async function namesIn(row: CommandRow, given: readonly string[], environment: NodeJS.ProcessEnv) {
  const known = await cachedNames(environment);
  const valueAfter = (flag: string) => given[given.indexOf(flag) + 1];
  const ofOption = (flag: string) => (given.includes(flag) ? { [flag.slice(2)]: valueAfter(flag) ?? '' } : {});
  const login = await keptProfile(environment, { ...ofOption('--profile'), ...ofOption('--application') }).catch(
    () => undefined,
  );
  const application = row.usage.includes('<application>')
    ? known.applications.find(({ id, name }) => [id, name].includes(given[0] ?? ''))?.id
    : login?.profile.application.id;
  const collections = known.collections[application ?? ''] ?? {};
  const collection = given.find((word) => word in collections) ?? '';
  const columns = collections[collection] ?? [];
  return async (word: string): Promise<readonly string[]> => {
    if (word === 'profile' || (word === 'name' && given.at(-1) === '--profile')) {
      return Object.keys((await readProfiles(environment)).profiles);
    }
    return FROM_NAMES[word]?.({ known, collections: Object.keys(collections), columns }) ?? [];
  };
}

interface Names {
  readonly known: CachedNames;
  readonly collections: readonly string[];
  readonly columns: readonly string[];
}

const FROM_NAMES: Readonly<Record<string, (names: Names) => readonly string[]>> = {
  application: ({ known }) => known.applications.map(({ name }) => name),
  collection: ({ collections }) => collections,
  column: ({ columns }) => columns,
  names: ({ columns }) => columns,
  record: ({ columns }) => columns.map((column) => `${column}=`),
  records: ({ columns }) => columns.map((column) => `${column}=`),
  values: ({ columns }) => columns.map((column) => `${column}=`),
  shell: () => SHELLS,
};
