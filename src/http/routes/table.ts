// The interface as a table: one row per operation. Routing, the checks on the road, documents and the test of every
// endpoint against every refusal are all made from it.

import * as definition from '../../operations/definition.ts';
import * as recordLists from '../../operations/records/lists.ts';
import * as records from '../../operations/records/records.ts';
import { removeMany } from '../../operations/records/removals.ts';
import { NewRecord, RecordUpdate, RecordUpdateWithId } from '../../wire/records.ts';
import { answerJson, answerText, arrayOf, NO_CONTENT, NOT_MODIFIED } from '../replies/answer.ts';
import { notModified, requiredHash, VARY } from '../requests/conditional.ts';
import {
  DELETE_LIMIT_MAX,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  nextLink,
  readListParameters,
  readRemovalSearch,
  readWhole,
} from '../requests/list-parameters.ts';
import { many, one, oneOrMany } from '../requests/shapes.ts';
import { ACTIVITY_LOG_ROUTES } from './activity-log.ts';
import { ATTACHMENT_ROUTES } from './attachments.ts';
import { NOTIFICATION_ROUTES } from './notifications.ts';
import { PEOPLE_ROUTES } from './people.ts';
import { COLLECTION, type Route, route } from './row.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { TOKEN_ROUTES } from './tokens.ts';
import { UPLOAD_ROUTES } from './uploads.ts';

export const RECORDS_BYTES_MAX = 1024 * 1024;

const RECORDS = `${COLLECTION}/records`;
const RECORD = `${RECORDS}/:recordId`;

export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/:applicationId',
    permission: 'api',
    group: 'records-read',
    sentence: 'The application with its collections and columns.',
    run: (context, _input, server) => answerText(definition.show(context, server.publicUrl())),
  }),
  route({
    method: 'GET',
    path: RECORDS,
    permission: 'api',
    group: 'records-read',
    parameters: LIST_PARAMETERS,
    sentence: 'Lists records in order, page by page, narrowed down by a search.',
    run: async (context, { params, query, address }) => {
      const input = { collectionId: params.collectionId!, ...readListParameters(query) };
      const { texts, next } = await recordLists.list(context, input);
      const link = next === undefined ? undefined : nextLink(address(), query, next);
      return answerText(arrayOf(texts), link === undefined ? {} : { link });
    },
  }),
  route({
    method: 'DELETE',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    parameters: DELETE_PARAMETERS,
    refusesOthers: true,
    sentence: 'Deletes the records that a search selects, oldest first.',
    run: async (context, { params, query }) => {
      const limit = readWhole(query, 'limit', { minimum: 1, maximum: DELETE_LIMIT_MAX });
      const input = { ...readRemovalSearch(query), collectionId: params.collectionId! };
      const deletedCount = await removeMany(context, { ...input, limit: limit ?? DELETE_LIMIT_MAX });
      return limit === undefined ? NO_CONTENT : answerJson({ deletedCount });
    },
  }),
  route({
    method: 'POST',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    body: { shape: oneOrMany(NewRecord), bytesMax: RECORDS_BYTES_MAX },
    sentence: 'Creates one record, or up to 100 in order.',
    run: async (context, { params, body }) => {
      const { items, batch } = body;
      const collectionId = params.collectionId!;
      const texts = await records.create(context, { collectionId, records: items, batch });
      return answerText(batch ? arrayOf(texts) : texts[0]!);
    },
  }),
  route({
    method: 'PUT',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    body: { shape: many(RecordUpdateWithId), bytesMax: RECORDS_BYTES_MAX },
    sentence: 'Updates up to 100 records in order.',
    run: async (context, { params, body }) =>
      answerText(arrayOf(await records.updateMany(context, { collectionId: params.collectionId!, updates: body }))),
  }),
  route({
    method: 'PATCH',
    path: `${RECORDS}/upsert/:upsertKeyColumnId`,
    permission: 'api',
    group: 'records-write',
    body: { shape: oneOrMany(NewRecord), bytesMax: RECORDS_BYTES_MAX },
    sentence: 'Updates the record that has the key, or creates it; one, or up to 100 in order.',
    run: async (context, { params, body }) => {
      const { items, batch } = body;
      const place = { collectionId: params.collectionId!, keyColumnId: params.upsertKeyColumnId! };
      const texts = await records.upsert(context, { ...place, records: items, batch });
      return answerText(batch ? arrayOf(texts) : texts[0]!);
    },
  }),
  route({
    method: 'GET',
    path: RECORD,
    permission: 'api',
    group: 'records-read',
    sentence: 'One record.',
    run: async (context, { params, header }) => {
      const view = await records.get(context, { collectionId: params.collectionId!, recordId: params.recordId! });
      const headers = { etag: view.etag, 'cache-control': 'private, no-cache', vary: VARY };
      return notModified(header('if-none-match'), view.etag) ? NOT_MODIFIED(headers) : answerText(view.text, headers);
    },
  }),
  route({
    method: 'PUT',
    path: RECORD,
    permission: 'api',
    group: 'records-write',
    body: { shape: one(RecordUpdate), bytesMax: RECORDS_BYTES_MAX },
    sentence: 'Updates one record.',
    run: async (context, { params, header, body }) => {
      const ifHash = requiredHash(header('if-match'));
      const place = { collectionId: params.collectionId!, recordId: params.recordId! };
      return answerText(await records.update(context, { ...place, update: body, ifHash }));
    },
  }),
  route({
    method: 'DELETE',
    path: RECORD,
    permission: 'api',
    group: 'records-write',
    sentence: 'Deletes one record.',
    run: async (context, { params, header }) => {
      const ifHash = requiredHash(header('if-match'));
      await records.remove(context, { collectionId: params.collectionId!, recordId: params.recordId!, ifHash });
      return NO_CONTENT;
    },
  }),
  ...ATTACHMENT_ROUTES,
  ...UPLOAD_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...SESSION_ROUTES,
  ...TOKEN_ROUTES,
  ...PEOPLE_ROUTES,
  ...ACTIVITY_LOG_ROUTES,
];
