// The JSON of the interface as it is on the wire: what requests take and what replies have. Plain values are in values.ts.

/** A user in records and lists. */
export interface User {
  readonly id: string;
  readonly name: string;
}

/** The types of a value that has no parts. */
export type SimpleTypeName =
  | 'String'
  | 'Number'
  | 'Boolean'
  | 'DateTime'
  | 'Date'
  | 'Time'
  | 'Location'
  | 'User'
  | 'Attachment';
export type ReferenceTypeName = 'ReferenceString' | 'ReferenceNumber' | 'ReferenceUser';

export interface ReferenceScheme {
  readonly collectionId: string;
  readonly columnId: string;
}
export interface ObjectScheme {
  readonly keys: readonly { readonly name: string; readonly type: SimpleTypeName }[];
}
export interface ArrayScheme {
  readonly element: { readonly type: SimpleTypeName | 'Object'; readonly scheme?: ObjectScheme };
}

interface ColumnBase {
  readonly id: string;
  readonly name: string;
  readonly unique: boolean;
  readonly sortable: boolean;
  readonly searchable: boolean;
}
/** A column of a collection, as the definition has it. */
export type ColumnDefinition =
  | (ColumnBase & { readonly type: SimpleTypeName })
  | (ColumnBase & { readonly type: ReferenceTypeName; readonly scheme: ReferenceScheme })
  | (ColumnBase & { readonly type: 'Object'; readonly scheme: ObjectScheme })
  | (ColumnBase & { readonly type: 'Array'; readonly scheme: ArrayScheme });

export interface CollectionDefinition {
  readonly id: string;
  readonly name: string;
  readonly readAccessType: 'everyone' | 'creatorOnly';
  readonly writeAccessType: 'everyone' | 'creatorOnly';
  readonly columns: readonly ColumnDefinition[];
}

/** The definition of an application. */
export interface ApplicationDefinition {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly sharedUsersModeEnabled: boolean;
  readonly teamsModeEnabled: boolean;
  readonly url: string;
  readonly collections: readonly CollectionDefinition[];
}

/** What an upload returns. */
export interface AttachmentMetadata {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

export interface Location {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude?: number;
}

export type RawSimpleValue =
  | { readonly type: 'String'; readonly value: string }
  | { readonly type: 'Number'; readonly value: number }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'DateTime'; readonly value: string }
  | { readonly type: 'Date'; readonly value: string }
  | { readonly type: 'Time'; readonly value: string }
  | ({ readonly type: 'Location' } & Location)
  | ({ readonly type: 'User' } & User)
  | ({ readonly type: 'Attachment' } & AttachmentMetadata);
export interface RawObjectValue {
  readonly type: 'Object';
  readonly value: Readonly<Record<string, RawSimpleValue>>;
}
export interface RawArrayValue {
  readonly type: 'Array';
  readonly value: readonly (RawSimpleValue | RawObjectValue)[];
}
/** `value` and `recordHash` are absent where the referred record is gone or may not be read. */
export interface RawReferenceValue {
  readonly type: ReferenceTypeName;
  readonly collectionId: string;
  readonly columnId: string;
  readonly recordId: string;
  readonly recordHash?: string;
  readonly value?: RawSimpleValue;
}
/** A value as replies have it. */
export type RawValue = RawSimpleValue | RawObjectValue | RawArrayValue | RawReferenceValue;

/** A record as replies have it: its values by the IDs of their columns. */
export interface RawRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: User;
  readonly timestamp: string;
  readonly hash: string;
  readonly updatedAt: string;
  readonly updatedBy: User;
  readonly values: Readonly<Record<string, RawValue>>;
}

/** Values of a request by the IDs of their columns. The server checks them by the definition. */
export type RawNewValues = Readonly<Record<string, unknown>>;
export interface RawNewRecord {
  readonly values: RawNewValues;
  /** Admins only. */
  readonly creatorId?: string;
}
export interface RawRecordUpdate {
  readonly values: RawNewValues;
  /** Default true: a column that is left out loses its value. */
  readonly replace?: boolean;
}
export interface RawRecordUpdateWithId extends RawRecordUpdate {
  readonly id: string;
}

export interface ManagementUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess: boolean;
  readonly profile: { readonly name: string };
  /** In team mode only. */
  readonly team?: { readonly name: string };
  /** In team mode only. */
  readonly teamLeader?: boolean;
  readonly disabled: boolean;
}
interface UserRights {
  /** Not in shared-users mode. */
  readonly email?: string;
  /** Not in shared-users mode. */
  readonly password?: string;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess?: boolean;
  readonly profile: { readonly name: string };
  /** In team mode only. */
  readonly team?: { readonly name: string };
  /** In team mode only. */
  readonly teamLeader?: boolean;
}
export interface NewUser extends UserRights {
  readonly name: string;
}
export interface UserUpdate extends UserRights {
  readonly disabled: boolean;
}

/** A profile or a team. `removed`: it is no longer published, and users still have it. */
export interface UserGroup {
  readonly name: string;
  readonly users: number;
  readonly removed?: true;
}

export interface SharedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly disabled: boolean;
}
export interface NewSharedUser {
  readonly name: string;
  readonly email: string;
  readonly password?: string;
}
export interface SharedUserUpdate {
  readonly email: string;
  readonly disabled: boolean;
  readonly password?: string;
}

/** An API token without its secret. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly lastUsedAt?: string;
}
export interface NewToken {
  readonly name: string;
  readonly expiresAt?: string;
}
/** The secret is in `token`, this one time. */
export interface CreatedToken {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** Exactly one of `userId` and `email`. */
export interface SignIn {
  readonly userId?: string;
  readonly email?: string;
  readonly password: string;
}
/** One of a user's open sessions. */
export interface OpenSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly ip: string;
  readonly agent: string;
  readonly current: boolean;
}
/** `link` is absent if it is mailed. */
export interface PasswordLink {
  readonly link?: string;
  readonly expiresAt: string;
}
export interface Session {
  readonly user: User;
  readonly email?: string;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess: boolean;
  /** The application's. */
  readonly timeZone: string;
  readonly operator?: true;
  readonly sessionExpiresAt?: string;
}
export interface SignInMethods {
  readonly name?: string;
  readonly password: boolean;
  readonly singleSignOn: boolean;
  readonly passwordReset: boolean;
}

export interface Notification {
  readonly body: string;
  readonly title?: string;
  readonly url?: string;
  readonly sound?: 'default' | '';
}
/** What became of a notification on one device. */
export interface Delivery {
  readonly deviceId: string;
  /** Like the name absent if the device was removed since. */
  readonly transport?: 'webPush' | 'fcm' | 'apns';
  readonly deviceName?: string;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'gone';
  readonly attempts: number;
  readonly problem?: string;
  readonly finishedAt?: string;
}
/** A notification that was sent to one user. */
export interface SentNotification {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: User;
  readonly user: User;
  readonly title: string;
  readonly body: string;
  readonly url?: string;
  readonly deliveries: readonly Delivery[];
}
export interface Device {
  readonly id: string;
  readonly transport: 'webPush' | 'fcm' | 'apns';
  readonly name: string;
  readonly createdAt: string;
}
/** `subscription` is the result of `PushSubscription.toJSON()` in a browser. */
export type NewDevice =
  | {
      readonly transport: 'webPush';
      readonly subscription: {
        readonly endpoint: string;
        readonly expirationTime?: number | null;
        readonly keys: { readonly p256dh: string; readonly auth: string };
      };
      readonly name?: string;
    }
  | { readonly transport: 'fcm' | 'apns'; readonly token: string; readonly name?: string };

/** A line of the activity log's export. */
export interface RawActivityEntry {
  readonly date: string;
  readonly type: string;
  readonly subType: string;
  readonly user: User;
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly collection?: { readonly id: string; readonly name: string };
  readonly source: { readonly context: 'api' | 'console' | 'operator'; readonly ip: string };
  readonly extra: Readonly<Record<string, string>>;
}

/** How often something was done on one day. */
export interface ActivityFigure {
  readonly day: string;
  readonly type: string;
  readonly subType: string;
  readonly count: number;
}

/** Figures of one group, or of all records. Measures have the names that they were asked for by: `sum:c…`. */
export interface Figure {
  readonly group?: string | number | boolean | User | null;
  readonly count?: number;
  readonly [measure: `${'sum' | 'average' | 'minimum' | 'maximum'}:${string}`]: number | null;
}

/** Settings that a client keeps for a collection. */
export interface NewView {
  readonly name: string;
  /** Only admins may share. Left out of an update, it stays. */
  readonly shared?: boolean;
  /** At most 16 KB as JSON. */
  readonly settings: Readonly<Record<string, unknown>>;
}
export interface View extends NewView {
  readonly id: string;
  readonly shared: boolean;
  readonly owner: User;
}
