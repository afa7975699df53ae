// Finds the people and records that pasted texts name. Each text is asked for once.

import type { QueryClient } from '@tanstack/react-query';
import type { ColumnDefinition, RawRecord, RawReferenceValue, RawValue } from '../../../../client/src/shapes.ts';
import { walkPages } from '../../../../client/src/walking.ts';
import { clientOf, type Session } from '../../api/client.ts';
import { collectionOf, definitionQuery } from '../../api/definition.ts';
import { RECORD_ID, referenceOf } from '../../values/paste/reference.ts';
import { personOf, type Sought } from '../../values/paste/user.ts';
import type { Seek } from './read-paste.ts';

/** Enough to tell whether there are several. */
const FOUND_MAX = 100;
/** A column that cannot be searched is read from the beginning. */
const WALKED_MAX = 1_000;

export function seekIn(application: string, session: Session, queries: QueryClient): Seek {
  const asked = new Map<string, Promise<Sought<RawValue>>>();
  const walked = new Map<string, Promise<readonly RawRecord[]>>();
  const { raw } = clientOf(application);

  async function person(text: string): Promise<Sought<RawValue>> {
    const mail = text.includes('@') && session.managementApiAccess;
    const listed = { search: text, limit: FOUND_MAX };
    const { body } = mail ? await raw.listManagementUsers(listed) : await raw.listUsers(listed);
    const { found, problem } = personOf(text, body);
    return found === undefined ? { ...(problem && { problem }) } : { found: { type: 'User', ...found } };
  }

  async function candidates(text: string, collectionId: string, columnId: string): Promise<readonly RawRecord[]> {
    if (RECORD_ID.test(text)) return (await raw.listRecords({ collectionId, search: `$id=${text}`, limit: 1 })).body;
    const definition = await queries.fetchQuery(definitionQuery(application));
    const column = collectionOf(definition, collectionId)?.columns.find(({ id }) => id === columnId);
    if (column?.searchable === true) {
      const search = `$${columnId}="${text.replaceAll(/["\\]/g, '\\$&')}"`;
      return (await raw.listRecords({ collectionId, search, limit: 2 })).body;
    }
    const known = walked.get(collectionId) ?? walk(collectionId);
    walked.set(collectionId, known);
    return known;
  }

  async function walk(collectionId: string): Promise<readonly RawRecord[]> {
    const records: RawRecord[] = [];
    for await (const page of walkPages(raw, { collectionId, limit: WALKED_MAX }, {})) records.push(...page);
    return records;
  }

  async function ask(column: ColumnDefinition, text: string): Promise<Sought<RawValue>> {
    if (column.type === 'User') return person(text);
    if (!('scheme' in column) || !('columnId' in column.scheme)) return { problem: 'structure' };
    const { scheme } = column;
    const type = column.type as RawReferenceValue['type'];
    return referenceOf({ text, type, scheme }, await candidates(text, scheme.collectionId, scheme.columnId));
  }

  return (column, text) => {
    const key = `${column.id} ${text}`;
    const known = asked.get(key) ?? ask(column, text);
    asked.set(key, known);
    return known;
  };
}
