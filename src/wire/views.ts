// Views of a collection: settings that a client keeps under a name for one user, or shares with all.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Type } from './type.ts';
import { UserShort } from './users.ts';

export const VIEW_NAME_MAX = 100;
/** Of the settings as JSON without white space. */
export const VIEW_SETTINGS_BYTES_MAX = 16 * 1024;
/** Of one user in one collection. Together with the shared ones a list has a hundred at most. */
export const OWN_VIEWS_MAX = 50;
/** Of all users in one collection. */
export const SHARED_VIEWS_MAX = 50;

/** The server does not look into them. */
const settings = Type.Record(Type.String(), Type.Unknown());
const changes = {
  name: Type.String({ minLength: 1, maxLength: VIEW_NAME_MAX }),
  shared: Type.Optional(Type.Boolean()),
  settings,
};
const ignored = Type.Optional(Type.Unknown({ readOnly: true }));
const strict = { additionalProperties: false } as const;

export const NewView = Type.Object(changes, strict);
export type NewView = Static<typeof NewView>;

/** `owner` is ignored, so that a client can send back a view that it has read; an `id` must be the one in the path. */
export const ViewUpdate = Type.Object({ ...changes, id: Type.Optional(identifier('viewId')), owner: ignored }, strict);
export type ViewUpdate = Static<typeof ViewUpdate>;

export const View = Type.Object({
  id: identifier('viewId'),
  name: Type.String(),
  shared: Type.Boolean(),
  owner: UserShort,
  settings,
});
