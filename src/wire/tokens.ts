// API tokens: what creates one, and how they are shown.

import type { Static } from 'typebox';
import { Instant, Type } from './type.ts';
import { UserShort } from './users.ts';

export const TOKEN_NAME_MAX = 100;

export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: TOKEN_NAME_MAX }),
    /** RFC 3339, in the future. */
    expiresAt: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false },
);
export type NewToken = Static<typeof NewToken>;

const TOKEN = { id: Type.String(), name: Type.String(), createdAt: Instant, expiresAt: Type.Optional(Instant) };

/** The secret is returned only here. */
export const CreatedToken = Type.Object({ ...TOKEN, token: Type.String() });
export type CreatedToken = Static<typeof CreatedToken>;

export const TokenView = Type.Object({ ...TOKEN, lastUsedAt: Type.Optional(Instant) });
export type TokenView = Static<typeof TokenView>;

/** In the list of all tokens of an application. */
export const OwnedTokenView = Type.Object({ ...TOKEN, lastUsedAt: Type.Optional(Instant), user: UserShort });
export type OwnedTokenView = Static<typeof OwnedTokenView>;
