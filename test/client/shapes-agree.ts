// The client's shapes are the server's: what a reply has fits the client's type, what the client lets a request have fits the
// server's, and neither has a member that the other lacks. The compiler is the test.

import type { Static } from 'typebox';
import type { ErrorCode } from '../../client/src/errors.ts';
import type * as client from '../../client/src/shapes.ts';
import type { FaultCode } from '../../src/faults.ts';
import type { ActivityEntry, ActivityFigure } from '../../src/wire/activity-log.ts';
import type { Application, Collection, Column } from '../../src/wire/applications.ts';
import type { AttachmentMetadata } from '../../src/wire/attachments.ts';
import type { DeviceView, NewDevice, NotificationRequest, SentNotification } from '../../src/wire/notifications.ts';
import type { NewRecord, OutgoingRecord } from '../../src/wire/records.ts';
import type { OpenSession, PasswordLink, SessionView, SignIn, SignInMethods } from '../../src/wire/sessions.ts';
import type { CreatedToken, NewToken, TokenView } from '../../src/wire/tokens.ts';
import type {
  ManagementSharedUser,
  ManagementUser,
  NewSharedUser,
  NewUser,
  SharedUserUpdate,
  UserGroup,
  UserShort,
  UserUpdate,
} from '../../src/wire/users.ts';

type Members<Shape> = Shape extends unknown ? keyof Shape : never;
/** `Given` can be used as `Wanted`, and they have the same members. */
type Agrees<Given, Wanted> = [Given] extends [Wanted]
  ? [Members<Given>] extends [Members<Wanted>]
    ? [Members<Wanted>] extends [Members<Given>]
      ? true
      : false
    : false
  : false;

const holds = <_Claim extends true>(): void => undefined;

export function replies(): void {
  holds<Agrees<Application, client.ApplicationDefinition>>();
  holds<Agrees<Collection, client.CollectionDefinition>>();
  holds<Agrees<Column, client.ColumnDefinition>>();
  holds<Agrees<UserShort, client.User>>();
  holds<Agrees<ManagementUser, client.ManagementUser>>();
  holds<Agrees<ManagementSharedUser, client.SharedUser>>();
  holds<Agrees<AttachmentMetadata, client.AttachmentMetadata>>();
  holds<Agrees<TokenView, client.Token>>();
  holds<Agrees<CreatedToken, client.CreatedToken>>();
  holds<Agrees<SessionView, client.Session>>();
  holds<Agrees<OpenSession, client.OpenSession>>();
  holds<Agrees<PasswordLink, client.PasswordLink>>();
  holds<Agrees<UserGroup, client.UserGroup>>();
  holds<Agrees<Static<typeof SignInMethods>, client.SignInMethods>>();
  holds<Agrees<DeviceView, client.Device>>();
  holds<Agrees<ActivityEntry, client.RawActivityEntry>>();
  holds<Agrees<ActivityFigure, client.ActivityFigure>>();
  holds<Agrees<SentNotification, client.SentNotification>>();
  holds<Agrees<keyof Static<typeof OutgoingRecord>, keyof client.RawRecord>>();
}

export function requests(): void {
  holds<Agrees<client.RawNewRecord, Readonly<NewRecord>>>();
  holds<Agrees<client.NewUser, NewUser>>();
  holds<Agrees<client.UserUpdate, UserUpdate>>();
  holds<Agrees<client.NewSharedUser, NewSharedUser>>();
  holds<Agrees<client.SharedUserUpdate, SharedUserUpdate>>();
  holds<Agrees<client.NewToken, NewToken>>();
  holds<Agrees<client.SignIn, SignIn>>();
  holds<Agrees<client.Notification, NotificationRequest>>();
  holds<Agrees<client.NewDevice, NewDevice>>();
}

/** Those that the operator's interface alone returns. */
type OperatorCode =
  | 'INVALID_DEFINITION'
  | 'INVALID_ARCHIVE'
  | 'APPLICATION_NOT_FOUND'
  | 'ORGANIZATION_NOT_FOUND'
  | 'WOULD_LOSE_DATA'
  | 'UNIQUE_COLLISION'
  | 'RESTORE_CONFLICT'
  | 'MODE_HAS_USERS';

export function errors(): void {
  holds<[Exclude<FaultCode, OperatorCode>] extends [ErrorCode] ? true : false>();
  holds<[ErrorCode] extends [FaultCode] ? true : false>();
}
