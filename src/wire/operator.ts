// The operator's own bodies: organizations, applications as the operator sees them, and the proof that the server knows
// the key. The publish document has a file of its own.

import type { Static } from 'typebox';
import { Application } from './applications.ts';
import { identifier } from './identifiers.ts';
import { PLANS } from './publish-document.ts';
import { Instant, Type } from './type.ts';

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
          /** Returned by GET and ignored in PUT, so that a client can send back what it read. */
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

/** Can be made only with the operator key (domain/people/server-proof). */
export const OperatorProof = Type.Object({ knows: Type.String(), here: Type.String() });
export type OperatorProof = Static<typeof OperatorProof>;

/** Without the client secret, and with the address that has to be registered at the provider. */
export const OrganizationView = Type.Object({
  name: Type.String(),
  singleSignOn: Type.Union([
    Type.Null(),
    Type.Object({
      issuer: Type.String(),
      clientId: Type.String(),
      emailsAreVerified: Type.Optional(Type.Boolean()),
      redirectAddress: Type.String(),
    }),
  ]),
});

const Examined = Type.Object({ ok: Type.Boolean(), reason: Type.Union([Type.Null(), Type.String()]) });

/** Whether an organization's provider can be used. */
export const SingleSignOnExamination = Type.Object({
  examination: Type.Union([
    Type.Null(),
    Type.Object({ description: Examined, keys: Type.Union([Type.Null(), Examined]) }),
  ]),
});
export type SingleSignOnExamination = Static<typeof SingleSignOnExamination>;

/** A user whom the operator has named. */
export const OperatorView = Type.Object({
  application: Type.Object({ id: identifier('applicationId'), name: Type.String() }),
  user: Type.Object({
    id: identifier('userId'),
    name: Type.String(),
    email: Type.String(),
    /** Also by the organization. Disabled users are no operators meanwhile. */
    disabled: Type.Boolean(),
  }),
  namedAt: Instant,
});
export type OperatorView = Static<typeof OperatorView>;

export const ApplicationSummary = Type.Object({
  id: identifier('applicationId'),
  name: Type.String(),
  version: Type.Integer(),
  organization: Type.String(),
  plan: Type.Enum(PLANS),
});
export type ApplicationSummary = Static<typeof ApplicationSummary>;

export const PublishingState = Type.Object({
  publishing: Type.Union([
    Type.Null(),
    Type.Object({
      step: Type.Enum(['checking', 'waiting', 'filling', 'indexing', 'switching', 'clearing', 'undoing']),
      collectionId: Type.Union([Type.Null(), identifier('collectionId')]),
      collectionName: Type.Union([Type.Null(), Type.String()]),
      done: Type.Integer(),
      total: Type.Integer(),
      startedAt: Instant,
    }),
  ]),
});

export const DefinitionChange = Type.Object({
  kind: Type.Enum([
    'application.create',
    'application.rename',
    'collection.add',
    'collection.remove',
    'collection.rename',
    'collection.access',
    'column.add',
    'column.remove',
    'column.rename',
    'column.type',
    'column.scheme',
    'column.flags',
    'order',
    'settings',
  ]),
  text: Type.String(),
  collectionId: Type.Optional(identifier('collectionId')),
  columnId: Type.Optional(identifier('columnId')),
  /** Only ever true: such a change needs the operator's consent. */
  losesData: Type.Optional(Type.Literal(true)),
  /** How many records it affects, where they have been counted. */
  records: Type.Optional(Type.Integer()),
});
export type DefinitionChange = Readonly<Static<typeof DefinitionChange>>;

export const VersionSummary = Type.Object({
  version: Type.Integer(),
  publishedAt: Instant,
  /** Null if they were not recorded. */
  changes: Type.Union([Type.Null(), Type.Array(DefinitionChange)]),
});
export type VersionSummary = Static<typeof VersionSummary>;

export const PublishReply = Type.Object({ application: Application, changes: Type.Array(DefinitionChange) });
export type PublishReply = Static<typeof PublishReply>;
