// The named schemas of the OpenAPI document. A schema of wire/ that has a name here is written once and referred to
// wherever it stands.

import { FAULTS } from '../../faults.ts';
import { ActivityEntry, ActivityFigure } from '../../wire/activity-log.ts';
import { Application, Collection, Column } from '../../wire/applications.ts';
import { AttachmentMetadata } from '../../wire/attachments.ts';
import { RecordFigure } from '../../wire/figures.ts';
import {
  Delivery,
  DeviceView,
  NEW_DEVICES,
  NotificationRequest,
  PushKey,
  SentNotification,
} from '../../wire/notifications.ts';
import {
  ChangedValues,
  DeletedCount,
  NewRecord,
  NewValues,
  OutgoingRecord,
  RecordUpdate,
  RecordUpdateWithId,
} from '../../wire/records.ts';
import {
  NewPasswordLink,
  OpenSession,
  PasswordChange,
  PasswordLink,
  PasswordReset,
  PasswordResetRequest,
  SessionView,
  SignIn,
  SignInMethods,
} from '../../wire/sessions.ts';
import { CreatedToken, NewToken, TokenView } from '../../wire/tokens.ts';
import { definedAs } from '../../wire/type.ts';
import {
  ManagementSharedUser,
  ManagementUser,
  NewSharedUser,
  NewUser,
  SharedUserUpdate,
  UserGroup,
  UserShort,
  UserUpdate,
} from '../../wire/users.ts';
import { INCOMING_VALUES, IncomingValue, OUTGOING_VALUES, OutgoingValue } from '../../wire/values.ts';
import { NewView, View, ViewUpdate } from '../../wire/views.ts';

const named = (shapes: Readonly<Record<string, object>>, name: (type: string) => string): [string, object][] =>
  Object.entries(shapes).map(([type, shape]) => [name(type), shape]);

/** Of a shape with two names the first counts: values that requests and replies write alike have that of replies. */
const COMPONENTS: readonly (readonly [string, object])[] = [
  ['Application', Application],
  ['Collection', Collection],
  ['Column', Column],
  ['Record', OutgoingRecord],
  ['NewRecord', NewRecord],
  ['RecordUpdate', RecordUpdate],
  ['RecordUpdateWithId', RecordUpdateWithId],
  ['DeletedCount', DeletedCount],
  ['Figure', RecordFigure],
  ['View', View],
  ['NewView', NewView],
  ['ViewUpdate', ViewUpdate],
  ['Value', OutgoingValue],
  ['NewValue', IncomingValue],
  ['NewValues', NewValues],
  ['ChangedValues', ChangedValues],
  ...named(OUTGOING_VALUES, (type) => `${type}Value`),
  ...named(INCOMING_VALUES, (type) => `New${type}Value`),
  ['Attachment', AttachmentMetadata],
  ['User', UserShort],
  ['ManagementUser', ManagementUser],
  ['NewUser', NewUser],
  ['UserUpdate', UserUpdate],
  ['UserGroup', UserGroup],
  ['ManagementSharedUser', ManagementSharedUser],
  ['NewSharedUser', NewSharedUser],
  ['SharedUserUpdate', SharedUserUpdate],
  ['Notification', NotificationRequest],
  ['SentNotification', SentNotification],
  ['Delivery', Delivery],
  ['Device', DeviceView],
  ...named(NEW_DEVICES, (transport) => `New${transport[0]?.toUpperCase()}${transport.slice(1)}Device`),
  ['PushKey', PushKey],
  ['Session', SessionView],
  ['SignIn', SignIn],
  ['SignInMethods', SignInMethods],
  ['PasswordChange', PasswordChange],
  ['PasswordReset', PasswordReset],
  ['PasswordResetRequest', PasswordResetRequest],
  ['OpenSession', OpenSession],
  ['NewPasswordLink', NewPasswordLink],
  ['PasswordLink', PasswordLink],
  ['Token', TokenView],
  ['NewToken', NewToken],
  ['CreatedToken', CreatedToken],
  ['ActivityEntry', ActivityEntry],
  ['ActivityFigure', ActivityFigure],
];

/** Shapes that are checked by rules of their own, as the documentation shows them. */
const SHOWN_AS: ReadonlyMap<object, object> = new Map<object, object>([
  [NewValues, { type: 'object', description: 'Values by column ID.', additionalProperties: IncomingValue }],
  [
    ChangedValues,
    {
      type: 'object',
      description: 'Values by column ID. With `replace` false, null deletes a value.',
      additionalProperties: { anyOf: [IncomingValue, { type: 'null' }] },
    },
  ],
]);

const NAMES: ReadonlyMap<object, string> = new Map([...COMPONENTS].reverse().map(([name, shape]) => [shape, name]));

export const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const ANY_KEY = '^.*$';

/** The name under which a document has a schema; undefined if it is written where it stands. */
export type Naming = (schema: object) => string | undefined;

export const commonName: Naming = (schema) => NAMES.get(schema);

/** The schema with references to the named ones. */
export function written(schema: unknown, nameOf: Naming = commonName): unknown {
  if (Array.isArray(schema)) return schema.map((each) => written(each, nameOf));
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = nameOf(definedAs(schema));
  return name === undefined ? writtenOut(schema, nameOf) : refer(name);
}

/** The schema itself, with references to the named ones inside of it. */
export function writtenOut(schema: object, nameOf: Naming = commonName): object {
  const shown = SHOWN_AS.get(definedAs(schema)) ?? schema;
  const members = Object.entries(shown).map(([key, value]) =>
    // Generators of clients know maps by this keyword.
    key === 'patternProperties' && ANY_KEY in (value as object)
      ? ['additionalProperties', written((value as Record<string, unknown>)[ANY_KEY], nameOf)]
      : [key, written(value, nameOf)],
  );
  return Object.fromEntries(members);
}

const PROBLEM = {
  type: 'object',
  required: ['code'],
  properties: {
    code: { type: 'string', enum: Object.keys(FAULTS), description: 'What went wrong, for programs.' },
    params: {
      type: 'object',
      description: 'Where and why; the members depend on the code.',
      additionalProperties: true,
    },
  },
  additionalProperties: false,
};

/** All named schemas but those that the document has in another form. */
export function componentSchemas(except: ReadonlySet<object> = new Set()): Record<string, unknown> {
  const shapes = [...NAMES]
    .filter(([shape]) => !except.has(shape))
    .map(([shape, name]) => [name, writtenOut(shape)] as const);
  return { ...Object.fromEntries(shapes.sort(([one], [other]) => (one < other ? -1 : 1))), Problem: PROBLEM };
}
