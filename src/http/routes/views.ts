// The routes of views.

import { fault } from '../../faults.ts';
import * as views from '../../operations/views/views.ts';
import { NewView, View, ViewUpdate } from '../../wire/views.ts';
import { arrayOf, NO_CONTENT, replyText } from '../replies/reply.ts';
import { json, list, nothing } from '../replies/success.ts';
import { one } from '../requests/shapes.ts';
import { COLLECTION, ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const VIEWS = `${COLLECTION}/views`;
const VIEW = `${VIEWS}/:viewId`;

const placeOf = (params: Readonly<Record<string, string>>) => ({
  collectionId: params.collectionId!,
  viewId: params.viewId!,
});

export const VIEW_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: VIEWS,
    permission: 'api',
    group: 'records-read',
    operation: 'listViews',
    sentence: "The caller's views of the collection and the shared ones, by name.",
    success: [list(View, 'The views.')],
    run: async (context, { params }) => replyText(arrayOf(await views.list(context, params.collectionId!))),
  }),
  userRoute({
    method: 'POST',
    path: VIEWS,
    permission: 'api',
    group: 'records-write',
    body: { shape: one(NewView), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'createView',
    sentence: 'Creates a view; only admins may share it.',
    success: [json(View, 'The view.')],
    run: async (context, { params, body }) => replyText(await views.create(context, params.collectionId!, body)),
  }),
  userRoute({
    method: 'GET',
    path: VIEW,
    permission: 'api',
    group: 'records-read',
    operation: 'getView',
    sentence: 'One view.',
    success: [json(View, 'The view.')],
    run: async (context, { params }) => replyText(await views.get(context, placeOf(params))),
  }),
  userRoute({
    method: 'PUT',
    path: VIEW,
    permission: 'api',
    group: 'records-write',
    body: { shape: one(ViewUpdate), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'updateView',
    sentence: "Changes a view of the caller's own; admins also change shared ones.",
    success: [json(View, 'The changed view.')],
    run: async (context, { params, body }) => {
      const place = placeOf(params);
      if (body.id !== undefined && body.id !== place.viewId) {
        throw fault('INVALID_BODY', { reason: 'must be the ID in the path, or be left out', path: '/id' });
      }
      return replyText(await views.update(context, place, body));
    },
  }),
  userRoute({
    method: 'DELETE',
    path: VIEW,
    permission: 'api',
    group: 'records-write',
    operation: 'deleteView',
    sentence: "Deletes a view of the caller's own; admins also delete shared ones.",
    success: [nothing('Deleted.')],
    run: async (context, { params }) => {
      await views.remove(context, placeOf(params));
      return NO_CONTENT;
    },
  }),
];
