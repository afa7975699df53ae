// What each operation takes and returns, by the names of operations.ts: parameters of path and query, headers and body in
// one flat object.

import type { OperationName } from './operations.ts';
import type {
  ActivityFigure,
  ApplicationDefinition,
  AttachmentMetadata,
  CreatedToken,
  Device,
  Figure,
  ManagementUser,
  NewDevice,
  NewSharedUser,
  NewToken,
  NewUser,
  NewView,
  Notification,
  OpenSession,
  PasswordLink,
  RawActivityEntry,
  RawNewRecord,
  RawRecord,
  RawRecordUpdate,
  RawRecordUpdateWithId,
  SentNotification,
  Session,
  SharedUser,
  SharedUserUpdate,
  SignIn,
  SignInMethods,
  Token,
  User,
  UserGroup,
  UserUpdate,
  View,
} from './shapes.ts';

/** Bytes to send. A stream is sent once; everything else can be sent again. */
export type Bytes = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

type NoInput = Readonly<Record<never, never>>;
interface InCollection {
  readonly collectionId: string;
}
interface OneRecord extends InCollection {
  readonly recordId: string;
}
interface OneAttachment extends InCollection {
  readonly attachmentId: string;
}
interface OneView extends InCollection {
  readonly viewId: string;
}
interface OneUser {
  readonly userId: string;
}
interface OneSharedUser {
  readonly sharedUserId: string;
}
interface Searching {
  readonly search?: string | undefined;
  /** Of the tz database, such as `Europe/Berlin`. */
  readonly timezone?: string | undefined;
}
interface ListingPeople {
  readonly search?: string | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
}
interface Keyed {
  /** Made for the request unless it is given. */
  readonly idempotencyKey?: string | undefined;
}
/** `Tus-Resumable` is added. */
interface Tus {
  readonly tusResumable?: '1.0.0' | undefined;
}
interface Conditional {
  readonly ifMatch?: string | undefined;
}

export interface ListRecords extends InCollection, Searching {
  readonly sortKey?: 'column' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy' | undefined;
  readonly sortOrder?: 'ascending' | 'descending' | undefined;
  readonly sortColumnId?: string | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
  readonly after?: string | undefined;
}

/** What narrows the activity log down. */
export interface ActivityFilter {
  /** `operator` for the operator. */
  readonly userId?: string | undefined;
  /** A `type`, or with its `subType`: `record.delete`. */
  readonly kind?: string | undefined;
  readonly collectionId?: string | undefined;
  readonly recordId?: string | undefined;
  /** `false` leaves out thumbnails that were sent. */
  readonly thumbnails?: boolean | undefined;
}

/** `eventual` allows a replica of the database to serve it; then the reply's header `Cartulary-Consistency` says so. */
interface Consistent {
  readonly consistency?: 'strong' | 'eventual' | undefined;
}

/** One object in, one out; an array in, an array out. */
type OneOrMany<One> = One | readonly One[];

export interface OperationTypes {
  readonly getOpenApiDocument: { in: NoInput; out: Readonly<Record<string, unknown>> };
  readonly getApplication: { in: NoInput; out: ApplicationDefinition };
  readonly listRecords: { in: ListRecords & Consistent; out: readonly RawRecord[] };
  /** The header `Cartulary-More` says that there are more groups. */
  readonly getFigures: {
    in: InCollection &
      Searching &
      Consistent & { readonly groupBy?: string | undefined; readonly measure?: string | undefined };
    out: readonly Figure[];
  };
  readonly createRecords: {
    in: InCollection & Keyed & { readonly body: OneOrMany<RawNewRecord> };
    out: OneOrMany<RawRecord>;
  };
  readonly updateRecords: {
    in: InCollection & { readonly body: readonly RawRecordUpdateWithId[] };
    out: readonly RawRecord[];
  };
  readonly upsertRecords: {
    in: InCollection & { readonly upsertKeyColumnId: string; readonly body: OneOrMany<RawNewRecord> };
    out: OneOrMany<RawRecord>;
  };
  /** `deletedCount` only with a `limit`. */
  readonly deleteRecords: {
    in: InCollection & Searching & { readonly limit?: number | undefined };
    out: { readonly deletedCount: number } | undefined;
  };
  /** Without a body where `ifNoneMatch` still holds (304). */
  readonly getRecord: { in: OneRecord & Consistent & { readonly ifNoneMatch?: string | undefined }; out: RawRecord };
  readonly updateRecord: { in: OneRecord & Conditional & { readonly body: RawRecordUpdate }; out: RawRecord };
  readonly deleteRecord: { in: OneRecord & Conditional; out: undefined };

  readonly listViews: { in: InCollection; out: readonly View[] };
  readonly createView: { in: InCollection & { readonly body: NewView }; out: View };
  readonly getView: { in: OneView; out: View };
  readonly updateView: { in: OneView & { readonly body: NewView }; out: View };
  readonly deleteView: { in: OneView; out: undefined };

  readonly uploadAttachment: {
    in: InCollection &
      Keyed & {
        readonly body: Bytes;
        readonly contentType?: string | undefined;
        readonly contentDisposition?: string | undefined;
        readonly creatorId?: string | undefined;
      };
    out: AttachmentMetadata;
  };
  readonly downloadAttachment: {
    in: OneAttachment & {
      /** Of a thumbnail. */
      readonly size?: 64 | 128 | 256 | 512 | 1024 | undefined;
      readonly ifNoneMatch?: string | undefined;
      readonly ifModifiedSince?: string | undefined;
      readonly range?: string | undefined;
      readonly ifRange?: string | undefined;
    };
    out: Response;
  };
  readonly describeUploads: { in: InCollection; out: undefined };
  readonly announceUpload: {
    in: InCollection &
      Keyed &
      Tus & {
        readonly uploadLength: number;
        readonly uploadMetadata?: string | undefined;
        readonly creatorId?: string | undefined;
      };
    out: AttachmentMetadata;
  };
  readonly getUpload: { in: OneAttachment & Tus; out: undefined };
  readonly appendToUpload: {
    in: OneAttachment & Tus & { readonly uploadOffset: number; readonly body: Bytes };
    out: undefined;
  };
  readonly cancelUpload: { in: OneAttachment & Tus; out: undefined };
  readonly overrideUpload: {
    in: OneAttachment &
      Tus & {
        readonly method: 'PATCH' | 'DELETE';
        readonly uploadOffset?: number | undefined;
        readonly body?: Bytes | undefined;
      };
    out: undefined;
  };

  readonly listUsers: { in: ListingPeople; out: readonly User[] };
  readonly listManagementUsers: { in: ListingPeople; out: readonly ManagementUser[] };
  readonly createManagementUser: { in: { readonly body: NewUser }; out: ManagementUser };
  readonly getManagementUser: { in: OneUser; out: ManagementUser };
  readonly updateManagementUser: { in: OneUser & { readonly body: UserUpdate }; out: ManagementUser };
  readonly deleteManagementUser: { in: OneUser; out: undefined };
  readonly createPasswordLink: { in: OneUser & { readonly body: { readonly mail: boolean } }; out: PasswordLink };
  readonly listProfiles: { in: NoInput; out: readonly UserGroup[] };
  readonly listTeams: { in: NoInput; out: readonly UserGroup[] };
  readonly listSharedUsers: { in: ListingPeople; out: readonly SharedUser[] };
  readonly createSharedUser: { in: { readonly body: NewSharedUser }; out: SharedUser };
  readonly getSharedUser: { in: OneSharedUser; out: SharedUser };
  readonly updateSharedUser: { in: OneSharedUser & { readonly body: SharedUserUpdate }; out: SharedUser };
  readonly deleteSharedUser: { in: OneSharedUser; out: undefined };
  readonly sendNotification: { in: OneUser & Keyed & { readonly body: Notification }; out: undefined };
  readonly listDevices: { in: OneUser; out: readonly Device[] };
  readonly registerDevice: { in: OneUser & { readonly body: NewDevice }; out: Device };
  readonly removeDevice: { in: OneUser & { readonly deviceId: string }; out: undefined };
  readonly getPushKey: { in: NoInput; out: { readonly publicKey: string } };
  readonly listTokens: { in: OneUser; out: readonly Token[] };
  readonly createToken: { in: OneUser & { readonly body: NewToken }; out: CreatedToken };
  readonly revokeToken: { in: OneUser & { readonly tokenId: string }; out: undefined };
  readonly listNotifications: {
    in: { readonly limit?: number | undefined; readonly after?: string | undefined };
    out: readonly SentNotification[];
  };
  readonly exportActivityLog: { in: { readonly startDate: string; readonly endDate: string }; out: Response };
  /** The headers `Link` and `Cartulary-Reached` say where and from when older entries go on. */
  readonly listActivity: {
    in: ActivityFilter & {
      readonly startDate?: string | undefined;
      readonly endDate?: string | undefined;
      readonly limit?: number | undefined;
      readonly after?: string | undefined;
    };
    out: readonly RawActivityEntry[];
  };
  readonly getActivityFigures: {
    in: ActivityFilter & {
      readonly startDate: string;
      readonly endDate: string;
      readonly timezone?: string | undefined;
    };
    out: readonly ActivityFigure[];
  };

  readonly signIn: { in: { readonly body: SignIn }; out: Session };
  readonly getSession: { in: NoInput; out: Session };
  readonly endSession: { in: NoInput; out: undefined };
  readonly listSessions: { in: OneUser; out: readonly OpenSession[] };
  readonly endOtherSessions: { in: OneUser; out: undefined };
  readonly endUserSession: { in: OneUser & { readonly sessionId: string }; out: undefined };
  readonly getSignInMethods: { in: NoInput; out: SignInMethods };
  readonly requestPasswordReset: {
    in: { readonly body: { readonly userId?: string; readonly email?: string } };
    out: undefined;
  };
  readonly resetPassword: {
    in: { readonly body: { readonly token: string; readonly password: string } };
    out: undefined;
  };
  readonly changePassword: {
    in: { readonly body: { readonly currentPassword: string; readonly newPassword: string } };
    out: undefined;
  };
}

/** A reply: its body, and the headers that say more. */
export interface Reply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** What every call takes besides its input. */
export interface CallOptions {
  /** Ends the call, also while it waits to try again. It rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of what the operation's meaning allows: send it again whatever became of it, or never. */
  readonly repeat?: 'always' | 'never' | undefined;
}

/** The input may be left out where nothing in it is required. */
type Given<Input> = NoInput extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions];
type ForEach<Body> = Body extends readonly unknown[] ? readonly RawRecord[] : RawRecord;
type TakesOneOrMany = 'createRecords' | 'upsertRecords';

/** Every operation of the interface by its name, as the OpenAPI document has it. */
export type RawOperations = {
  readonly [Name in Exclude<OperationName, TakesOneOrMany>]: (
    ...given: Given<OperationTypes[Name]['in']>
  ) => Promise<Reply<OperationTypes[Name]['out']>>;
} & {
  readonly [Name in TakesOneOrMany]: <Body extends OneOrMany<RawNewRecord>>(
    input: OperationTypes[Name]['in'] & { readonly body: Body },
    options?: CallOptions,
  ) => Promise<Reply<ForEach<Body>>>;
};
