// From what an operator types to an identifier: wherever a command takes one, it takes a name too, and for people an
// e-mail address. An exact name comes first, then one in other case. Several are listed; for none, the nearest is offered.

import { listed, shown } from '../../domain/definition/problems.ts';
import { editDistance } from '../../domain/edit-distance.ts';
import { type IdentifierName, isIdentifier } from '../../wire/identifiers.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { TokenView } from '../../wire/tokens.ts';
import type { ManagementSharedUser, ManagementUser } from '../../wire/users.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { Refusal } from '../refusals.ts';

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
}

/** As many as a message names. */
const SHOWN_MAX = 10;
/** How far a list is read in search of a name: far more than anyone gives to one name. */
const PAGES_MAX = 100;
const PAGE = 100;

/** `kind`: what is chosen among, and of what, for messages: `application`, `user of this application`. */
export function findNamed<T extends Candidate>(kind: string, given: string, candidates: readonly T[]): T | undefined {
  const fold = (text: string) => text.normalize('NFC').toLowerCase();
  const exact = candidates.filter(({ id, name, email }) => [id, name, email].includes(given));
  const found =
    exact.length > 0
      ? exact
      : candidates.filter(({ name, email = '' }) => [fold(name), fold(email)].includes(fold(given)));
  if (found.length < 2) return found[0];
  const some = found.slice(0, SHOWN_MAX).map((one) => `  ${titleOf(one)}`);
  const more = found.length > SHOWN_MAX ? [`  and ${found.length - SHOWN_MAX} more`] : [];
  throw usageFailure(
    [`${shown(given)} names more than one ${kind}. Give the identifier of one:`, ...some, ...more].join('\n'),
  );
}

const titleOf = ({ id, name, email = '' }: Candidate): string =>
  `${name}${id === name ? '' : `  ${id}`}${email === '' ? '' : `  ${email}`}`;

/** The word that `given` looks like a typing error of. */
function nearest(given: string, words: readonly string[]): string | undefined {
  const distances = words.map((word) => ({ word, distance: typingErrors(given.toLowerCase(), word.toLowerCase()) }));
  const near = distances.reduce((least, other) => (other.distance < least.distance ? other : least), {
    word: '',
    distance: Number.POSITIVE_INFINITY,
  });
  return near.distance === Number.POSITIVE_INFINITY ? undefined : near.word;
}

/** Infinite if they are too many. E-mail addresses differ before the `@`: the same long host makes no two of them similar. */
function typingErrors(given: string, word: string): number {
  const [one, other] = [given.split('@'), word.split('@')];
  const pairs = one.length === other.length ? one.map((part, at) => [part, other[at] ?? '']) : [[given, word]];
  const distances = pairs.map(([part = '', meant = '']) => {
    const distance = editDistance(part, meant);
    return distance * 3 <= Math.max(part.length, meant.length) ? distance : Number.POSITIVE_INFINITY;
  });
  return distances.reduce((sum, distance) => sum + distance, 0);
}

/** `others`: what there is, or the beginning of it. */
function unknownName(kind: string, given: string, others: readonly Candidate[]): CommandFailure {
  const none = `There is no ${kind} ${shown(given)}.`;
  const words = others.flatMap(({ name, email = '' }) => (email === '' ? [name] : [name, email]));
  const near = nearest(given, words);
  const failure = (help: string) => new CommandFailure(`${none} ${help}`, { exit: 'notFound' });
  if (near !== undefined) return failure(`Did you mean ${shown(near)}?`);
  if (others.length === 0) return failure('There are none yet.');
  const some = others.slice(0, SHOWN_MAX).map(({ name }) => shown(name));
  const rest = others.length > SHOWN_MAX ? ['others'] : [];
  return failure(`There ${others.length === 1 ? 'is' : 'are'} ${listed([...some, ...rest])}.`);
}

export function chosen<T extends Candidate>(kind: string, given: string, candidates: readonly T[]): T {
  const found = findNamed(kind, given, candidates);
  if (found === undefined) throw unknownName(kind, given, candidates);
  return found;
}

/** A list that the server gives in pages, up to `atMost` elements. */
export async function readPages<T>(
  client: OperatorClient,
  path: string,
  { parameters = {}, atMost }: { readonly parameters?: Readonly<Record<string, string>>; readonly atMost: number },
): Promise<T[]> {
  const all: T[] = [];
  while (all.length < atMost) {
    const limit = Math.min(PAGE, atMost - all.length);
    const query = new URLSearchParams({ ...parameters, skip: String(all.length), limit: String(limit) });
    const page = (await client.send('GET', `${path}?${query}`)) as T[];
    all.push(...page);
    if (page.length < limit) break;
  }
  return all;
}

export const wholeList = { atMost: PAGES_MAX * PAGE };

export async function findApplicationId(client: OperatorClient, given: string): Promise<string> {
  if (isIdentifier('applicationId', given)) return given;
  return chosen('application', given, (await client.send('GET', '/applications')) as Candidate[]).id;
}

/** Among the applications of a backup. Returns the identifier. */
export const chooseApplication = (applications: readonly Candidate[], given: string): string =>
  chosen('application of the backup', given, applications).id;

/** The definition of the application, for commands that need to know its modes or collections. */
export async function findApplication(client: OperatorClient, given: string): Promise<Definition> {
  return (await client.send('GET', `/applications/${await findApplicationId(client, given)}`)) as Definition;
}

export const findCollection = <T extends Candidate>(
  { collections }: { readonly collections: readonly T[] },
  given: string,
): T => chosen('collection', given, collections);

export async function findOrganization(client: OperatorClient, given: string): Promise<string> {
  try {
    await client.send('GET', organizationPath(given));
    return given;
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'ORGANIZATION_NOT_FOUND')) throw error;
  }
  const all = await readPages<{ name: string }>(client, '/organizations', wholeList);
  const named = all.map(({ name }) => ({ id: name, name }));
  return chosen('organization', given, named).name;
}

export const organizationPath = (name: string): string => `/organizations/${encodeURIComponent(name)}`;

export const findUser = (client: OperatorClient, applicationId: string, given: string): Promise<ManagementUser> =>
  findPerson(client, { path: usersPath(applicationId), identifier: 'userId', kind: 'user', given });

export const usersPath = (applicationId: string): string => `/applications/${applicationId}/users`;

export const findSharedUser = (
  client: OperatorClient,
  organization: string,
  given: string,
): Promise<ManagementSharedUser> =>
  findPerson(client, { path: sharedUsersPath(organization), identifier: 'sharedUserId', kind: 'shared user', given });

export const sharedUsersPath = (organization: string): string => `${organizationPath(organization)}/sharedUsers`;

interface Wanted {
  readonly path: string;
  readonly identifier: IdentifierName;
  readonly kind: string;
  readonly given: string;
}

/** A name may look like an identifier, so that one that is not found is looked for as a name. */
async function findPerson<T extends Candidate>(
  client: OperatorClient,
  { path, identifier, kind, given }: Wanted,
): Promise<T> {
  if (isIdentifier(identifier, given)) {
    const one = await client.send('GET', `${path}/${given}`).catch((error: unknown) => {
      if (!(error instanceof Refusal && /USER_NOT_FOUND$/.test(error.code))) throw error;
    });
    if (one !== undefined) return one as T;
  }
  const parameters = given.includes('@') ? ['name', 'email'] : ['name'];
  const pages = parameters.map((name) => readPages<T>(client, path, { parameters: { [name]: given }, ...wholeList }));
  const named = new Map((await Promise.all(pages)).flat().map((one) => [one.id, one]));
  const found = findNamed(kind, given, [...named.values()]);
  if (found !== undefined) return found;
  throw unknownName(kind, given, await readPages<T>(client, path, { atMost: PAGE }));
}

export async function findTokenId(
  client: OperatorClient,
  { applicationId, userId }: { readonly applicationId: string; readonly userId: string },
  given: string,
): Promise<string> {
  const tokens = (await client.send('GET', `${usersPath(applicationId)}/${userId}/tokens`)) as TokenView[];
  return chosen('token', given, tokens).id;
}
