// The operator's own bodies: organizations and tokens. The publish document has a file of its own.

import { type Static, Type } from 'typebox';

const strict = { additionalProperties: false } as const;

export const OrganizationSettings = Type.Object(
  {
    name: Type.Optional(Type.String()),
    singleSignOn: Type.Union([
      Type.Null(),
      Type.Object(
        {
          issuer: Type.String({ minLength: 1, maxLength: 1024 }),
          clientId: Type.String({ minLength: 1, maxLength: 1024 }),
          clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
        },
        strict,
      ),
    ]),
  },
  strict,
);
export type OrganizationSettings = Static<typeof OrganizationSettings>;

export const TOKEN_NAME_MAX = 100;
export const NewToken = Type.Object({ name: Type.String({ minLength: 1, maxLength: TOKEN_NAME_MAX }) }, strict);
export type NewToken = Static<typeof NewToken>;
