// An application as the interface shows it: `GET /{applicationId}` and `application` in the reply to a publish.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Type } from './type.ts';
import { REFERENCE_TYPES, SIMPLE_TYPES } from './values.ts';

export const AccessType = Type.Enum(['everyone', 'creatorOnly']);

export const ReferenceScheme = Type.Object({
  collectionId: identifier('collectionId'),
  columnId: identifier('columnId'),
});
export const ObjectScheme = Type.Object({
  keys: Type.Array(Type.Object({ name: Type.String(), type: Type.Enum(SIMPLE_TYPES) })),
});
export const ArrayScheme = Type.Object({
  element: Type.Object({ type: Type.Enum([...SIMPLE_TYPES, 'Object']), scheme: Type.Optional(ObjectScheme) }),
});

const flags = { unique: Type.Boolean(), sortable: Type.Boolean(), searchable: Type.Boolean() };
const named = { id: identifier('columnId'), name: Type.String() };

export const Column = Type.Union([
  Type.Object({ ...named, type: Type.Enum(SIMPLE_TYPES), ...flags }),
  Type.Object({ ...named, type: Type.Enum(REFERENCE_TYPES), scheme: ReferenceScheme, ...flags }),
  Type.Object({ ...named, type: Type.Literal('Object'), scheme: ObjectScheme, ...flags }),
  Type.Object({ ...named, type: Type.Literal('Array'), scheme: ArrayScheme, ...flags }),
]);

export const Collection = Type.Object({
  id: identifier('collectionId'),
  name: Type.String(),
  readAccessType: AccessType,
  writeAccessType: AccessType,
  columns: Type.Array(Column),
});

export const Application = Type.Object({
  id: identifier('applicationId'),
  name: Type.String(),
  version: Type.Integer(),
  sharedUsersModeEnabled: Type.Boolean(),
  teamsModeEnabled: Type.Boolean(),
  url: Type.String(),
  collections: Type.Array(Collection),
});

export type AccessType = Static<typeof AccessType>;
export type ReferenceScheme = Static<typeof ReferenceScheme>;
export type ObjectScheme = Static<typeof ObjectScheme>;
export type ArrayScheme = Static<typeof ArrayScheme>;
export type Column = Static<typeof Column>;
export type Collection = Static<typeof Collection>;
export type Application = Static<typeof Application>;
