// The operator's own bodies: organizations, and the proof that the server knows the key. The publish document has a file of its own.

import type { Static } from 'typebox';
import { Type } from './type.ts';

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
          emailsAreVerified: Type.Optional(Type.Boolean()),
          /** Shown, and taken back unread, so that what was read can be changed and put. */
          redirectAddress: Type.Optional(Type.String()),
        },
        strict,
      ),
    ]),
  },
  strict,
);
export type OrganizationSettings = Static<typeof OrganizationSettings>;

/** 32 random bytes, new for every request. */
export const NONCE_PATTERN = '^[A-Za-z0-9_-]{43}$';

export const ProofRequest = Type.Object({ nonce: Type.String({ pattern: NONCE_PATTERN }) }, strict);
export type ProofRequest = Static<typeof ProofRequest>;

/** Can be made only with the operator key (domain/people/operator-proof). */
export interface OperatorProof {
  readonly knows: string;
  readonly here: string;
}
