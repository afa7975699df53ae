// `import --new`: a collection made from a file. The definition is written beside the file and published with the operator
// key, and a login profile is kept, so that the commands that follow work without another word.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { shown } from '../../domain/definition/problems.ts';
import { foldName, isMetadata } from '../../moving/import/mapping.ts';
import type { Survey } from '../../moving/import/survey.ts';
import type { CellReading } from '../../moving/values/cell-values.ts';
import type { Application, Collection, Column } from '../../wire/applications.ts';
import type { ApplicationSummary, PublishReply } from '../../wire/operator.ts';
import type { CollectionInput, ColumnInput, Definition, PublishDocument } from '../../wire/publish-document.ts';
import type { CreatedToken } from '../../wire/tokens.ts';
import type { ManagementUser } from '../../wire/users.ts';
import { findApplication, readPages, usersPath } from '../commands/names.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { PROFILE_NAME, saveProfile } from '../profiles.ts';
import { namesFile } from './import/attached-files.ts';
import { ColumnGuess, type GuessedColumn } from './import/guess-types.ts';

/** Each sortable or searchable column takes room in a table; this many always fit. */
const INDEXED_MAX = 100;
const USERS_READ = 100;
const UNIQUE_TYPES = ['String', 'Number', 'DateTime', 'Date', 'Time'];

export interface GuessOptions {
  /** `Column=Type` */
  readonly type?: readonly string[];
  /** The column that is to be unique. */
  readonly upsert?: string;
  readonly ignore?: readonly string[];
  /** Where the files are that cells may name. */
  readonly folder: string;
}

/** Columns whose cells no type holds are left out and returned by name. */
export function guessCollection(
  name: string,
  { header, rows }: Survey,
  reading: CellReading,
  options: GuessOptions,
): { collection: CollectionInput; left: string[] } {
  const types = new Map((options.type ?? []).map((pair) => readType(pair, header)));
  const ignored = new Set((options.ignore ?? []).map(foldName));
  const left: string[] = [];
  const columns = header.flatMap((title, index): ColumnInput[] => {
    if (title === '' || isMetadata(title) || ignored.has(foldName(title))) return [];
    const given = types.get(title);
    const guess = new ColumnGuess();
    if (given === undefined) for (const { cells } of rows) guess.add(cells[index], reading);
    const column = given === undefined ? fileColumn(guess.column, { rows, index }, options) : { type: given };
    if (column === undefined) left.push(title);
    return column === undefined ? [] : [withFlags({ name: title, ...column } as ColumnInput, index, options)];
  });
  if (columns.length === 0) throw new CommandFailure('The file has no columns: its first line should be a heading.');
  return { collection: { name, columns }, left };
}

/** A column of texts that all name files of the folder is one of attachments. */
function fileColumn(
  guessed: GuessedColumn['column'] | undefined,
  { rows, index }: Pick<Survey, 'rows'> & { readonly index: number },
  { folder }: GuessOptions,
): GuessedColumn['column'] | undefined {
  if (guessed?.type !== 'String') return guessed;
  const texts = rows.flatMap(({ cells }) => (cells[index] === undefined ? [] : [String(cells[index])]));
  return texts.length > 0 && texts.every((text) => namesFile(folder, text)) ? { type: 'Attachment' } : guessed;
}

function withFlags(column: ColumnInput, index: number, { upsert }: GuessOptions): ColumnInput {
  const isKey = upsert !== undefined && foldName(upsert) === foldName(column.name);
  if (isKey && !UNIQUE_TYPES.includes(column.type)) {
    throw new CommandFailure(`${shown(column.name)} is of type ${column.type}, which cannot be unique.`);
  }
  const isSortable = !['Array', 'Object', 'Location'].includes(column.type);
  if (index >= INDEXED_MAX && !isKey) return column;
  return { ...column, ...(isKey ? { unique: true } : {}), ...(isSortable ? { sortable: true } : {}), searchable: true };
}

const SIMPLE = ['String', 'Number', 'Boolean', 'DateTime', 'Date', 'Time', 'Location', 'Attachment', 'User'] as const;

function readType(pair: string, header: readonly string[]): [string, ColumnInput['type']] {
  const at = pair.lastIndexOf('=');
  const [title, given] = [pair.slice(0, at), pair.slice(at + 1)];
  const type = SIMPLE.find((each) => each.toLowerCase() === given.toLowerCase());
  const name = header.find((each) => foldName(each) === foldName(title));
  if (at < 1 || type === undefined) {
    throw usageFailure(`--type ${pair} should look like --type "Column=Type", with one of ${SIMPLE.join(', ')}.`);
  }
  if (name === undefined) throw usageFailure(`--type ${pair}: the file has no column ${shown(title)}.`);
  return [name, type];
}

/** As if it was published, for a dry run. */
export const unpublished = ({ name, columns }: CollectionInput): Collection => ({
  id: 't0000000',
  name,
  readAccessType: 'everyone',
  writeAccessType: 'everyone',
  columns: columns.map((column, index) => ({
    unique: false,
    sortable: false,
    searchable: false,
    ...column,
    id: `c${String(index).padStart(7, '0')}`,
  })) as Column[],
});

export interface PublishedCollection {
  readonly application: Application;
  readonly collection: Collection;
  /** Where the definition is. */
  readonly definitionFile: string;
}

/** Into the application `into`, or a new one that is called like the collection. */
export async function publishCollection(
  client: OperatorClient,
  collection: CollectionInput,
  place: { readonly into: string | undefined; readonly file: string },
): Promise<PublishedCollection> {
  const named = { ...place, name: collection.name };
  const { application, definitionFile } = await publishCollections(client, [collection], named);
  const published = application.collections.find(({ name }) => name === collection.name);
  if (published === undefined) throw new Error('The published application lacks its new collection');
  return { application, collection: published, definitionFile };
}

interface Place {
  readonly into: string | undefined;
  readonly file: string;
  /** Of a new application. */
  readonly name: string;
}

export async function publishCollections(
  client: OperatorClient,
  collections: readonly CollectionInput[],
  { into, file, name }: Place,
): Promise<Omit<PublishedCollection, 'collection'>> {
  const document =
    into === undefined ? await newApplication(client, name, collections) : await added(client, into, collections);
  const { application } = (await client.send('POST', '/applications', document)) as PublishReply;
  const definition = (await client.send('GET', `/applications/${application.id}`)) as Definition;
  const definitionFile = definitionPath(file);
  await writeFile(definitionFile, `${JSON.stringify(definition, undefined, 2)}\n`);
  return { application, definitionFile };
}

export function definitionPath(file: string): string {
  const { dir, name } = parse(file);
  return `${dir === '' ? '' : `${dir}/`}${name}.application.json`;
}

async function newApplication(
  client: OperatorClient,
  name: string,
  collections: readonly CollectionInput[],
): Promise<PublishDocument> {
  const all = (await client.send('GET', '/applications')) as ApplicationSummary[];
  if (all.some((application) => application.name === name)) {
    throw new CommandFailure(
      `The application ${shown(name)} exists already. To import into it, leave --new out; to add a collection to it, use --application ${shown(name)} with another name.`,
    );
  }
  return { name, collections: [...collections] };
}

async function added(
  client: OperatorClient,
  into: string,
  collections: readonly CollectionInput[],
): Promise<PublishDocument> {
  const definition = await findApplication(client, into);
  const present = definition.collections.find(({ name }) => collections.some((collection) => collection.name === name));
  if (present !== undefined) {
    throw new CommandFailure(
      `${definition.name} has a collection ${shown(present.name)} already. To import into it, leave --new out.`,
    );
  }
  return { ...definition, collections: [...definition.collections, ...collections] } as PublishDocument;
}

export interface KeptLogin {
  readonly profile: string;
  readonly token: string;
  readonly user: ManagementUser;
  /** Of a user that was made. */
  readonly password?: string;
}

/** A token of an admin of the application, who is made if there is none, kept as the current login profile. */
export async function keepLogin(
  client: OperatorClient,
  environment: NodeJS.ProcessEnv,
  { application, profile: given, email }: { application: Application; profile: string | undefined; email: string },
): Promise<KeptLogin> {
  const users = await readPages<ManagementUser>(client, usersPath(application.id), { atMost: USERS_READ });
  const admin = users.find((user) => user.admin && user.apiAccess && !user.disabled);
  const made = admin === undefined ? await makeAdmin(client, application, email) : undefined;
  const user = made?.user ?? (admin as ManagementUser);
  const path = `${usersPath(application.id)}/${user.id}/tokens`;
  const { token, id: tokenId } = (await client.send('POST', path, { name: 'import' })) as CreatedToken;
  const profile = given ?? profileName(application.name);
  await saveProfile(environment, profile, {
    address: client.root,
    application: { id: application.id, name: application.name },
    user: { id: user.id, name: user.name },
    token,
    tokenId,
  });
  return { profile, token, user, ...(made === undefined ? {} : { password: made.password }) };
}

export function printLogin({ user, profile, password }: KeptLogin): void {
  if (password !== undefined) console.log(`Made the admin ${user.name} <${user.email}> with the password ${password}`);
  console.log(`You are logged in as ${user.name}; the profile is called ${profile}.`);
}

async function makeAdmin(client: OperatorClient, application: Application, email: string) {
  if (application.sharedUsersModeEnabled) {
    throw new CommandFailure(
      `${application.name} has no admin with API access, and its users are shared users: activate one with \`users create\`, log in, and import without --new.`,
    );
  }
  // One letter of each kind, and more chance than anyone can try.
  const password = `aA1${randomBytes(12).toString('base64url')}`;
  const user = (await client.send('POST', usersPath(application.id), {
    name: 'Admin',
    email,
    password,
    admin: true,
    apiAccess: true,
    managementApiAccess: true,
    profile: { name: 'Standard' },
  })) as ManagementUser;
  return { user, password };
}

/** What of the name a profile may be called. */
export function profileName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._@-]+/gu, '-')
    .replaceAll(/^[-._@]+|-+$/g, '')
    .slice(0, 64)
    .toLowerCase();
  return PROFILE_NAME.test(plain) ? plain : 'default';
}
