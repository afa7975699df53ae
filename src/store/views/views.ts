// The views of collections. A user sees their own and the shared ones. Locks are taken in one order: the fence, the user, the view.

import type { UserShort } from '../../wire/users.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';

export interface StoredView {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly owner: UserShort;
  /** JSON, sent as it is. */
  readonly settings: string;
}

/** Users are never removed, and their names never change. */
const COLUMNS = 'v.id, v.name, v.shared, u.id, u.name, v.settings';
const sourceOf = (schema: string): string => `${schema}.views v join ${schema}.users u on u.id = v.owner_id`;

function readView(row: Row): StoredView {
  const [id, name, shared, ownerId, ownerName, settings] = row as [string, string, boolean, string, string, string];
  return { id, name, shared, owner: { id: ownerId, name: ownerName }, settings };
}

/** One index finds those of the user, another the shared ones. */
export async function listViews(reader: Reader, collectionId: string, userId: string): Promise<StoredView[]> {
  const rows = await reader.rows(
    `select ${COLUMNS} from ${sourceOf(reader.schema)}
     where (v.collection_id = $1 and v.owner_id = $2) or (v.collection_id = $1 and v.shared) order by v.name, v.id`,
    [collectionId, userId],
  );
  return rows.map(readView);
}

interface Place {
  readonly collectionId: string;
  readonly viewId: string;
}

export async function getView(reader: Reader, { collectionId, viewId }: Place): Promise<StoredView | undefined> {
  const rows = await reader.rows(
    `select ${COLUMNS} from ${sourceOf(reader.schema)} where v.id = $1 and v.collection_id = $2`,
    [viewId, collectionId],
  );
  return rows[0] && readView(rows[0]);
}

export async function lockView(tx: Transaction, { collectionId, viewId }: Place): Promise<StoredView | undefined> {
  const rows = await tx.rows(
    `select ${COLUMNS} from ${sourceOf(tx.schema)} where v.id = $1 and v.collection_id = $2 for update of v`,
    [viewId, collectionId],
  );
  return rows[0] && readView(rows[0]);
}

export interface HeldViews {
  /** The row of the fence. */
  readonly fence: Row[];
  readonly isUser: boolean;
  readonly own: number;
  readonly shared: number;
}

/**
 * How many views there are. Locks the fence, so that until the transaction ends no other view of the application is created or
 * shared and no definition without the collection is published; and the user, who is not deleted meanwhile.
 */
export async function holdViews(tx: Transaction, collectionId: string, userId: string): Promise<HeldViews> {
  const { schema } = tx;
  const [fence = [], users = [], counts = []] = await tx.pipeline([
    { text: `select generation from ${schema}.fence for no key update`, params: [] },
    { text: `select id from ${schema}.users where id = $1 and deleted_at is null for key share`, params: [userId] },
    {
      text: `select (select count(*)::int from ${schema}.views v where v.collection_id = $1 and v.owner_id = $2),
          (select count(*)::int from ${schema}.views v where v.collection_id = $1 and v.shared)`,
      params: [collectionId, userId],
    },
  ]);
  const [own = 0, shared = 0] = (counts[0] ?? []) as [number?, number?];
  return { fence, isUser: users.length > 0, own, shared };
}

export interface ViewToInsert extends Omit<StoredView, 'owner'> {
  readonly collectionId: string;
  readonly ownerId: string;
}

export const insertView = (schema: string, view: ViewToInsert): Statement => ({
  text: `insert into ${schema}.views (id, collection_id, owner_id, name, shared, settings) values ($1, $2, $3, $4, $5, $6)`,
  params: [view.id, view.collectionId, view.ownerId, view.name, view.shared, view.settings],
});

export const updateView = (schema: string, { id, name, shared, settings }: Omit<StoredView, 'owner'>): Statement => ({
  text: `update ${schema}.views set name = $2, shared = $3, settings = $4 where id = $1`,
  params: [id, name, shared, settings],
});

export const deleteView = (schema: string, viewId: string): Statement => ({
  text: `delete from ${schema}.views where id = $1`,
  params: [viewId],
});

/** With their collections. After the fence has moved, so that no view is created any more. */
export async function deleteViewsOf(tx: Transaction, collectionIds: readonly string[]): Promise<void> {
  if (collectionIds.length === 0) return;
  await tx.rows(`delete from ${tx.schema}.views where collection_id = any($1::text[])`, [collectionIds]);
}
