// Rows of several uploads in one statement, for requests that travel together (store/database/joining). Only uploads in one
// request: nothing but its own upload knows the identifier of such a row, so the order of the rows does not matter.

import type { Statement } from '../database/statements.ts';
import { textArray } from '../database/text-arrays.ts';
import type { CompletedAttachment, NewAttachment } from './attachments.ts';

const texts = (values: readonly string[]): Buffer => textArray(values, 'text');

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export const insertAttachments = (schema: string, rows: readonly NewAttachment[]): Statement => ({
  text: `insert into ${schema}.attachments
      (id, collection_id, name, content_type, state, created_by, created_at, node, received, free_since)
    select r.id, r.collection_id, r.name, r.content_type, 'pending', r.created_by, r.created_at, r.node, 0, r.created_at
    from ${schema}.fence, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
      as r(id, collection_id, name, content_type, created_by, created_at, node)
    returning id`,
  params: [
    texts(rows.map(({ id }) => id)),
    texts(rows.map(({ collectionId }) => collectionId)),
    texts(rows.map(({ name }) => name)),
    texts(rows.map(({ contentType }) => contentType)),
    texts(rows.map(({ createdBy }) => createdBy)),
    rows.map(({ createdAt }) => createdAt),
    texts(rows.map(({ node }) => node)),
  ],
});

/** As `completeAttachment`. */
export const completeAttachments = (schema: string, done: readonly CompletedAttachment[]): Statement => ({
  text: `update ${schema}.attachments as a set state = 'available', size = r.size, received = r.size, hash = r.hash,
      uploaded_at = r.at, node = null, expires_at = null,
      free_since = case when a.free_since is null then null else r.at end
    from ${schema}.fence, unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[])
      as r(id, node, size, hash, at)
    where a.id = r.id and a.node = r.node and a.state = 'pending' returning a.id`,
  params: [
    texts(done.map(({ id }) => id)),
    texts(done.map(({ node }) => node)),
    done.map(({ size }) => size),
    texts(done.map(({ hash }) => hash)),
    done.map(({ at }) => at),
  ],
});
