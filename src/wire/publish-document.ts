// The publish document, by which an operator creates or changes an application: one JSON Schema for validation, for clients
// and for the documentation, and the type of the resulting definition. Rules that a schema cannot express (the target of a
// reference, which columns may be unique) are in domain/definition.

import type { Static, TSchema } from 'typebox';
import { AccessType, type ArrayScheme, Collection, type ObjectScheme } from './applications.ts';
import { type IdentifierName, identifier, PATTERNS } from './identifiers.ts';
import { Type } from './type.ts';
import { REFERENCE_TYPES, SIMPLE_TYPES, VALUE_TYPES } from './values.ts';

export const PLANS = ['basic', 'premium', 'enterprise', 'custom', 'unlimited'] as const;
export const QUOTA_GROUPS = [
  'records-read',
  'records-write',
  'attachments-read',
  'attachments-write',
  'management-read',
  'management-write',
] as const;
export type Plan = (typeof PLANS)[number];
export type QuotaGroup = (typeof QUOTA_GROUPS)[number];

export const NAME_LENGTH_MAX = 200;
export const ORGANIZATION_LENGTH_MAX = 64;
export const COLLECTIONS_MAX = 200;
// A PostgreSQL table has at most 1,600 columns, and a column of a collection may need several.
export const COLUMNS_MAX = 200;
export const KEYS_MAX = 100;
export const PROFILES_MAX = 1_000;
export const TEAMS_MAX = 1_000;
export const ORIGINS_MAX = 100;
export const ORIGIN_LENGTH_MAX = 300;
// Counters fit a PostgreSQL integer.
export const LIMIT_MAX = 1_000_000_000;
// The largest object that S3-compatible stores accept.
export const ATTACHMENT_BYTES_MAX = 5 * 2 ** 40;

/** The defaults of omitted members, at the first publish and every later one. */
export const DEFAULTS = {
  organization: 'Default',
  timeZone: 'UTC',
  plan: 'unlimited',
  switch: false,
  maxAttachmentBytes: 52_428_800,
  profile: 'Standard',
  accessType: 'everyone',
  flag: false,
} as const;

const CLOSED = { additionalProperties: false } as const;

const name = (title: string, options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ title, minLength: 1, maxLength: NAME_LENGTH_MAX, ...options });

const assigned = (id: IdentifierName, title: string, description: string) =>
  Type.Optional(Type.String({ title, description, pattern: PATTERNS[id] }));

const flag = (title: string, description: string) =>
  Type.Optional(Type.Boolean({ title, description, default: DEFAULTS.flag }));

const appSwitch = (title: string, description: string) =>
  Type.Optional(Type.Boolean({ title, description, default: DEFAULTS.switch }));

/** A schema that nothing matches; its description is the error message. */
const refused = (description: string) => ({ not: {}, description });

/** Exactly one of two members; the description is again the error message. */
const either = (one: string, other: string) => ({
  description: `needs exactly one of "${one}" and "${other}"`,
  oneOf: [{ required: [one] }, { required: [other] }],
});

/** Applies `then` to objects whose `type` is one of `types`: only one branch reports errors, which keeps them readable. */
const whenType = (types: readonly string[], then: object) => ({
  if: { properties: { type: { enum: types } }, required: ['type'] },
  then,
});

const withScheme = (scheme: TSchema) => ({ required: ['scheme'], properties: { scheme } });
const withoutScheme = (reason: string) => ({ properties: { scheme: refused(reason) } });

const ReferenceSchemeInput = Type.Object(
  {
    collectionId: Type.Optional(
      Type.String({ title: 'ID of the referred collection', pattern: PATTERNS.collectionId }),
    ),
    columnId: Type.Optional(Type.String({ title: 'ID of the referred column', pattern: PATTERNS.columnId })),
    collection: Type.Optional(name('Name of the referred collection')),
    column: Type.Optional(name('Name of the referred column')),
  },
  {
    ...CLOSED,
    title: 'What a Reference column refers to',
    description:
      'A collection and a column of this application, each by its ID or, where it may have none yet, by its name. ' +
      'The column holds String for ReferenceString, Number for ReferenceNumber and User for ReferenceUser.',
    examples: [{ collection: 'Sites', column: 'Title' }],
    allOf: [either('collectionId', 'collection'), either('columnId', 'column')],
  },
);

const ObjectSchemeInput = Type.Object(
  {
    keys: Type.Array(
      Type.Object({ name: name('Key'), type: Type.Enum([...SIMPLE_TYPES], { title: 'Type of its value' }) }, CLOSED),
      { title: 'The keys that an Object may have', minItems: 1, maxItems: KEYS_MAX },
    ),
  },
  { ...CLOSED, title: 'Keys of an Object', examples: [{ keys: [{ name: 'Street', type: 'String' }] }] },
);

const ArraySchemeInput = Type.Object(
  {
    element: Type.Object(
      {
        type: Type.Enum([...SIMPLE_TYPES, 'Object'], { title: 'Type of every element' }),
        scheme: Type.Optional(Type.Unsafe<ObjectScheme>({ title: 'Keys of the elements', description: 'For Object.' })),
      },
      {
        ...CLOSED,
        allOf: [
          whenType(['Object'], withScheme(ObjectSchemeInput)),
          whenType(SIMPLE_TYPES, withoutScheme('is only for elements of type Object')),
        ],
      },
    ),
  },
  { ...CLOSED, title: 'Elements of an Array', examples: [{ element: { type: 'String' } }] },
);

const ColumnInput = Type.Object(
  {
    id: assigned('columnId', 'Column ID', 'Left out: that of the column of this name, or a new one.'),
    name: name('Name', { description: 'Two columns may share a name only where both have an ID.', examples: ['Site'] }),
    type: Type.Enum([...VALUE_TYPES], { title: 'Value type', examples: ['String'] }),
    scheme: Type.Optional(
      Type.Unsafe<ReferenceSchemeInput | ObjectScheme | ArrayScheme>({
        title: 'Scheme',
        description: 'Required for Object, Array and the Reference types, refused for any other.',
      }),
    ),
    unique: flag('Unique', 'No two records of the collection may hold the same value.'),
    sortable: flag('Sortable', 'Records can be sorted by this column.'),
    searchable: flag('Searchable', 'Records can be searched by this column.'),
  },
  {
    ...CLOSED,
    title: 'Column',
    allOf: [
      whenType(REFERENCE_TYPES, withScheme(ReferenceSchemeInput)),
      whenType(['Object'], withScheme(ObjectSchemeInput)),
      whenType(['Array'], withScheme(ArraySchemeInput)),
      whenType(SIMPLE_TYPES, withoutScheme('is only for columns of type Object, Array or Reference')),
    ],
  },
);

const access = (title: string, description: string) =>
  Type.Optional(Type.Enum(AccessType.enum, { title, description, default: DEFAULTS.accessType }));

const CollectionInput = Type.Object(
  {
    id: assigned('collectionId', 'Collection ID', 'Left out: that of the collection of this name, or a new one.'),
    name: name('Name', { description: 'Unique within the application.', examples: ['Visits'] }),
    readAccessType: access('Who may read', 'creatorOnly: only the creator of a record, and admin users.'),
    writeAccessType: access('Who may write', 'creatorOnly: only the creator of a record, and admin users.'),
    columns: Type.Array(ColumnInput, { title: 'Columns, in the order in which they are shown', maxItems: COLUMNS_MAX }),
  },
  { ...CLOSED, title: 'Collection' },
);

const Limit = Type.Integer({ minimum: 0, maximum: LIMIT_MAX, description: 'Requests per clock hour.' });
const limit = Type.Optional(Limit);

const Limits = Type.Object(
  {
    'records-read': limit,
    'records-write': limit,
    'attachments-read': limit,
    'attachments-write': limit,
    'management-read': limit,
    'management-write': limit,
  } satisfies Record<QuotaGroup, TSchema>,
  CLOSED,
);

export const publishDocumentSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ title: 'Address of this schema', description: 'For editors; ignored.' })),
    id: assigned('applicationId', 'Application ID', 'Left out: a new application, whose ID is assigned.'),
    name: name('Name of the application', { examples: ['Field inspections'] }),
    organization: Type.Optional(
      Type.String({
        title: 'Organization',
        description: 'Whose shared users and single sign-on the application uses. Made when it does not exist.',
        minLength: 1,
        maxLength: ORGANIZATION_LENGTH_MAX,
        default: DEFAULTS.organization,
        examples: ['Acme'],
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        title: 'Time zone',
        description: 'A name from the tz database. Dates in searches are in it unless a request names another.',
        minLength: 1,
        maxLength: NAME_LENGTH_MAX,
        default: DEFAULTS.timeZone,
        examples: ['Asia/Tokyo'],
      }),
    ),
    plan: Type.Optional(
      Type.Enum([...PLANS], {
        title: 'Plan',
        description: 'The request limits per hour. custom: only those in "limits". unlimited: none but those.',
        default: DEFAULTS.plan,
      }),
    ),
    limits: Type.Optional(
      Type.Unsafe<Static<typeof Limits>>({
        ...Limits,
        title: 'Limits',
        description: 'Requests per clock hour by group, instead of those of the plan.',
        default: {},
        examples: [{ 'records-read': 100_000 }],
      }),
    ),
    sharedUsersModeEnabled: appSwitch('Shared-users mode', "Users come from the organization's shared users."),
    teamsModeEnabled: appSwitch('Team mode', 'Every user belongs to one of the teams; needs at least one team.'),
    pushNotificationsEnabled: appSwitch('Push notifications', 'Notifications can be sent to users.'),
    activityLogEnabled: appSwitch('Activity log', 'What users do is logged and can be exported.'),
    maxAttachmentBytes: Type.Optional(
      Type.Integer({
        title: 'Largest attachment in bytes',
        minimum: 1,
        maximum: ATTACHMENT_BYTES_MAX,
        default: DEFAULTS.maxAttachmentBytes,
      }),
    ),
    allowedOrigins: Type.Optional(
      Type.Array(Type.String({ title: 'Origin', minLength: 1, maxLength: ORIGIN_LENGTH_MAX }), {
        title: 'Origins whose pages may use the application from a browser (CORS)',
        description: 'Each as a browser names it: scheme, host, and the port if it is not the usual one.',
        maxItems: ORIGINS_MAX,
        uniqueItems: true,
        default: [],
        examples: [['https://app.example.com']],
      }),
    ),
    profiles: Type.Optional(
      Type.Array(name('Profile'), {
        title: 'Profiles that users may have',
        minItems: 1,
        maxItems: PROFILES_MAX,
        uniqueItems: true,
        default: [DEFAULTS.profile],
      }),
    ),
    teams: Type.Optional(
      Type.Array(name('Team'), {
        title: 'Teams that users may belong to',
        maxItems: TEAMS_MAX,
        uniqueItems: true,
        default: [],
        examples: [['Tokyo', 'Osaka']],
      }),
    ),
    collections: Type.Array(CollectionInput, { title: 'Collections', maxItems: COLLECTIONS_MAX }),
  },
  {
    ...CLOSED,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'publish-document.schema.json',
    title: 'Cartulary publish document',
    description: 'An application: its settings, its collections and their columns.',
  },
);

const changedLimit = Type.Optional(Type.Union([Limit, Type.Null()]));

/**
 * Changes only the quotas. Omitted groups keep their limits; `null` removes the limit of a group, or all limits.
 */
export const QuotaChange = Type.Object(
  {
    plan: Type.Optional(Type.Enum([...PLANS])),
    limits: Type.Optional(
      Type.Union([
        Type.Object(
          {
            'records-read': changedLimit,
            'records-write': changedLimit,
            'attachments-read': changedLimit,
            'attachments-write': changedLimit,
            'management-read': changedLimit,
            'management-write': changedLimit,
          } satisfies Record<QuotaGroup, TSchema>,
          CLOSED,
        ),
        Type.Null(),
      ]),
    ),
  },
  CLOSED,
);
export type QuotaChange = Static<typeof QuotaChange>;

export type ReferenceSchemeInput = Static<typeof ReferenceSchemeInput>;
export type ColumnInput = Static<typeof ColumnInput>;
export type CollectionInput = Static<typeof CollectionInput>;
export type Limits = Static<typeof Limits>;

/** As an operator writes it: identifiers and members with a default may be absent. */
export type PublishDocument = Static<typeof publishDocumentSchema>;

/** As the server stores it, complete. Publishing it again changes nothing. */
export const Definition = Type.Object({
  id: identifier('applicationId'),
  name: Type.String(),
  organization: Type.String(),
  timeZone: Type.String(),
  plan: Type.Enum(PLANS),
  limits: Limits,
  sharedUsersModeEnabled: Type.Boolean(),
  teamsModeEnabled: Type.Boolean(),
  pushNotificationsEnabled: Type.Boolean(),
  activityLogEnabled: Type.Boolean(),
  maxAttachmentBytes: Type.Integer(),
  allowedOrigins: Type.Array(Type.String()),
  profiles: Type.Array(Type.String()),
  teams: Type.Array(Type.String()),
  collections: Type.Array(Collection),
});
export type Definition = Static<typeof Definition>;
