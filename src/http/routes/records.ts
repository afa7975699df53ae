// The routes of the definition and of records.

import { fault } from '../../faults.ts';
import * as definition from '../../operations/definition.ts';
import { getFigures } from '../../operations/records/figures.ts';
import * as recordLists from '../../operations/records/lists.ts';
import * as records from '../../operations/records/records.ts';
import { removeMany } from '../../operations/records/removals.ts';
import { Application } from '../../wire/applications.ts';
import { RecordFigure } from '../../wire/figures.ts';
import { DeletedCount, NewRecord, OutgoingRecord, RecordUpdate, RecordUpdateWithId } from '../../wire/records.ts';
import {
  arrayOf,
  headerText,
  isCompressible,
  NO_CONTENT,
  NOT_MODIFIED,
  replyJson,
  replyRecords,
  replyText,
} from '../replies/reply.ts';
import { json, list, nothing, oneOrList, UNCHANGED, withHeaders } from '../replies/success.ts';
import { currentCopy, requiredHash, VARY } from '../requests/conditional.ts';
import { FIGURE_PARAMETERS, readFigureParameters } from '../requests/figure-parameters.ts';
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
import { COLLECTION, keyedRoute, replicaRoute, type UserRoute, userRoute } from './row.ts';

export const RECORD_BODY_BYTES_MAX = 1024 * 1024;

const RECORDS = `${COLLECTION}/records`;
const RECORD = `${RECORDS}/:recordId`;

const IF_NONE_MATCH = { schema: { type: 'string' }, sentence: 'The `ETag` of the record as the client has it.' };
const IF_MATCH = { schema: { type: 'string' }, sentence: 'The hash of the record as the client knows it, in quotes.' };
const otherRecord = () => fault('INVALID_BODY', { reason: 'must be the ID in the path, or be left out', path: '/id' });

const LIST_HEADERS = {
  Link: 'The address of the next page, unless this is the last.',
  'Cartulary-Hint': 'What was probably meant by a search that finds nothing, percent-encoded.',
};

const FIGURE_HEADERS = { 'Cartulary-More': '`true` if there are more groups, which have fewer records.' };

export const RECORD_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId',
    permission: 'api',
    group: 'records-read',
    operation: 'getApplication',
    sentence: 'The application with its collections and columns.',
    success: [json(Application, 'The application.')],
    run: (context, _input, server) => replyText(definition.show(context, server.publicUrl())),
  }),
  replicaRoute({
    method: 'GET',
    path: RECORDS,
    permission: 'api',
    group: 'records-read',
    parameters: LIST_PARAMETERS,
    operation: 'listRecords',
    sentence: 'Lists records in order, page by page, narrowed down by a search.',
    success: [withHeaders(list(OutgoingRecord, 'A page of records; an empty array after the last.'), LIST_HEADERS)],
    run: async (context, { params, query, address }) => {
      const input = { collectionId: params.collectionId!, ...readListParameters(query) };
      const { texts, next, hint } = await recordLists.list(context, input);
      if (hint !== undefined) return replyRecords(arrayOf(texts), { 'cartulary-hint': headerText(hint) });
      const link = next === undefined ? undefined : nextLink(address(), query, next);
      return replyRecords(arrayOf(texts), link === undefined ? {} : { link });
    },
  }),
  replicaRoute({
    method: 'GET',
    path: `${RECORDS}/figures`,
    permission: 'api',
    group: 'records-read',
    parameters: FIGURE_PARAMETERS,
    exposes: Object.keys(FIGURE_HEADERS),
    operation: 'getFigures',
    sentence: 'Counts, sums, averages, minima and maxima over records, for each group of them.',
    success: [
      withHeaders(list(RecordFigure, 'The groups in ascending order; without `groupBy` one element.'), FIGURE_HEADERS),
    ],
    run: async (context, { params, query }) => {
      const input = { collectionId: params.collectionId!, ...readFigureParameters(query) };
      const { figures, more } = await getFigures(context, input);
      return { ...replyJson(figures), headers: more ? { 'cartulary-more': 'true' } : {} };
    },
  }),
  userRoute({
    method: 'DELETE',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    parameters: DELETE_PARAMETERS,
    refusesOthers: true,
    operation: 'deleteRecords',
    sentence: 'Deletes the records that a search selects, oldest first.',
    success: [
      json(DeletedCount, 'How many records were deleted, if `limit` was given.'),
      nothing('Deleted, if no `limit` was given.'),
    ],
    run: async (context, { params, query }) => {
      const limit = readWhole(query, 'limit', { minimum: 1, maximum: DELETE_LIMIT_MAX });
      const input = { ...readRemovalSearch(query), collectionId: params.collectionId! };
      const deletedCount = await removeMany(context, { ...input, limit: limit ?? DELETE_LIMIT_MAX });
      return limit === undefined ? NO_CONTENT : replyJson({ deletedCount });
    },
  }),
  keyedRoute({
    method: 'POST',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    body: { shape: oneOrMany(NewRecord), bytesMax: RECORD_BODY_BYTES_MAX },
    operation: 'createRecords',
    sentence: 'Creates one record, or up to 100 in order.',
    success: [oneOrList(OutgoingRecord, 'The created record, or records.')],
    run: async (context, { params, body }) => {
      const { items, batch } = body;
      const collectionId = params.collectionId!;
      return records.create(context, { collectionId, records: items, batch }, (texts) =>
        replyRecords(batch ? arrayOf(texts) : texts[0]!),
      );
    },
  }),
  userRoute({
    method: 'PUT',
    path: RECORDS,
    permission: 'api',
    group: 'records-write',
    body: { shape: many(RecordUpdateWithId), bytesMax: RECORD_BODY_BYTES_MAX },
    operation: 'updateRecords',
    sentence: 'Updates up to 100 records in order.',
    success: [list(OutgoingRecord, 'The updated records.')],
    run: async (context, { params, body }) =>
      replyRecords(arrayOf(await records.updateMany(context, { collectionId: params.collectionId!, updates: body }))),
  }),
  userRoute({
    method: 'PATCH',
    path: `${RECORDS}/upsert/:upsertKeyColumnId`,
    permission: 'api',
    group: 'records-write',
    body: { shape: oneOrMany(NewRecord), bytesMax: RECORD_BODY_BYTES_MAX },
    operation: 'upsertRecords',
    sentence: 'Updates the record that has the key, or creates it; one, or up to 100 in order.',
    success: [oneOrList(OutgoingRecord, 'The record as it is now, or the records.')],
    run: async (context, { params, body }) => {
      const { items, batch } = body;
      const place = { collectionId: params.collectionId!, keyColumnId: params.upsertKeyColumnId! };
      const texts = await records.upsert(context, { records: items, batch, ...place });
      return replyRecords(batch ? arrayOf(texts) : texts[0]!);
    },
  }),
  replicaRoute({
    method: 'GET',
    path: RECORD,
    permission: 'api',
    group: 'records-read',
    headers: { 'If-None-Match': IF_NONE_MATCH },
    operation: 'getRecord',
    sentence: 'One record.',
    success: [
      withHeaders(json(OutgoingRecord, 'The record.'), { ETag: 'The hash of the record, for conditions.' }),
      UNCHANGED,
    ],
    run: async (context, { params, header }) => {
      const view = await records.get(context, { collectionId: params.collectionId!, recordId: params.recordId! });
      const headers = { etag: view.etag, 'cache-control': 'private, no-cache', vary: VARY };
      const held = currentCopy(header('if-none-match'), view.etag);
      const reply = replyRecords(view.text, headers);
      if (held === undefined) return reply;
      // As the reply that the client has a copy of.
      const vary = isCompressible(reply) ? `${VARY}, Accept-Encoding` : VARY;
      return NOT_MODIFIED({ ...headers, etag: held, vary });
    },
  }),
  userRoute({
    method: 'PUT',
    path: RECORD,
    permission: 'api',
    group: 'records-write',
    body: { shape: one(RecordUpdate), bytesMax: RECORD_BODY_BYTES_MAX },
    headers: { 'If-Match': IF_MATCH },
    operation: 'updateRecord',
    sentence: 'Updates one record.',
    success: [json(OutgoingRecord, 'The updated record.')],
    run: async (context, { params, header, body }) => {
      const place = { collectionId: params.collectionId!, recordId: params.recordId! };
      if (body.id !== undefined && body.id !== place.recordId) throw otherRecord();
      const ifHash = requiredHash(header('if-match'));
      return replyRecords(await records.update(context, { update: body, ifHash, ...place }));
    },
  }),
  userRoute({
    method: 'DELETE',
    path: RECORD,
    permission: 'api',
    group: 'records-write',
    headers: { 'If-Match': IF_MATCH },
    operation: 'deleteRecord',
    sentence: 'Deletes one record.',
    success: [nothing('Deleted.')],
    run: async (context, { params, header }) => {
      const ifHash = requiredHash(header('if-match'));
      await records.remove(context, { collectionId: params.collectionId!, recordId: params.recordId!, ifHash });
      return NO_CONTENT;
    },
  }),
];
