// What makes an API token.

import type { Static } from 'typebox';
import { Type } from './type.ts';

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

/** The secret is shown this once. */
export interface CreatedToken {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
}
