// What values and arguments name: users, records and files, found through the interface.

import type { CollectionDefinition, ReferenceScheme } from '../../../client/src/shapes.ts';
import { type IdentifierName, isIdentifier } from '../../wire/identifiers.ts';
import { chosen } from '../commands/names.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { sendFile } from '../files/upload.ts';
import type { UserSession } from '../user-session.ts';
import { equals, findColumn } from './columns-of.ts';
import type { Lookups } from './from-text.ts';

/** As many as a page has; a name that so many users contain is given by its ID. */
const PAGE = 100;

/** Not the type guard, for which a text that is no identifier would be no text. */
const isId = (kind: IdentifierName, given: string): boolean => isIdentifier(kind, given);

/** `collection`: where files are uploaded to. */
export const lookupsIn = (session: UserSession, collection: CollectionDefinition): Lookups => ({
  userId: (given) => findUserId(session, given),
  recordId: (scheme, given) => findReferred(session, scheme, given),
  upload: async (file) => (await sendFile(session, collection.id, { file })).id,
});

/** E-mail addresses are known only to users with management access. */
export async function findUserId({ raw }: UserSession, given: string): Promise<string> {
  if (isId('userId', given)) return given;
  if (given.includes('@')) {
    const { body } = await raw.listManagementUsers({ search: given, limit: PAGE });
    return chosen('user', given, body).id;
  }
  const { body: named } = await raw.listUsers({ search: given, limit: PAGE });
  const candidates = named.length > 0 ? named : (await raw.listUsers({ limit: PAGE })).body;
  return chosen('user', given, candidates).id;
}

async function findReferred(session: UserSession, scheme: ReferenceScheme, given: string): Promise<string> {
  if (isId('recordId', given)) return given;
  const { collections } = await session.definition();
  const collection = collections.find(({ id }) => id === scheme.collectionId);
  const column = collection?.columns.find(({ id }) => id === scheme.columnId);
  if (collection === undefined || column === undefined)
    throw usageFailure(`Give the ID of the record instead of ${given}.`);
  return findByValue(session, collection, { column: column.id, text: given });
}

/** A record by its ID, or by `Column=text` if only one has it. */
export async function findRecordId(
  session: UserSession,
  collection: CollectionDefinition,
  given: string,
): Promise<string> {
  if (isId('recordId', given)) return given;
  const at = given.indexOf('=');
  if (at < 1) throw usageFailure(`${given} is not a record; give its ID, or Column=text that only one record has.`);
  return findByValue(session, collection, { column: given.slice(0, at), text: given.slice(at + 1) });
}

async function findByValue(
  { raw }: UserSession,
  collection: CollectionDefinition,
  wanted: { readonly column: string; readonly text: string },
): Promise<string> {
  const column = findColumn(collection, wanted.column);
  const what = `${column.name}=${wanted.text}`;
  if (!column.searchable) {
    throw usageFailure(
      `${column.name} of ${collection.name} is not searchable; give the ID of the record instead of ${what}.`,
    );
  }
  const { body } = await raw.listRecords({
    collectionId: collection.id,
    search: equals(column, wanted.text),
    limit: 2,
  });
  const [first, second] = body;
  if (first === undefined)
    throw new CommandFailure(`${collection.name} has no record with ${what}.`, { exit: 'notFound' });
  if (second !== undefined)
    throw usageFailure(`Several records of ${collection.name} have ${what}; give the ID of one.`);
  return first.id;
}
