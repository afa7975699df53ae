// People: users and shared users, their tokens and devices, sessions, notifications, and the log of what they did.

import { readLines } from './lines.ts';
import type { CallOptions, RawOperations } from './operation-types.ts';
import type {
  CreatedToken,
  Device,
  ManagementUser,
  NewDevice,
  NewSharedUser,
  NewUser,
  Notification,
  RawActivityEntry,
  Session,
  SharedUser,
  SharedUserUpdate,
  SignIn,
  SignInMethods,
  Token,
  User,
  UserUpdate,
} from './shapes.ts';
import { walkPeople } from './walking.ts';

export interface PeopleOptions extends CallOptions {
  readonly search?: string | undefined;
}

/** What can be done to one kind of people. */
export interface Managed<Person, New, Update> {
  list(options?: PeopleOptions): AsyncIterable<Person>;
  get(id: string, options?: CallOptions): Promise<Person>;
  create(person: New, options?: CallOptions): Promise<Person>;
  /** Every member has to be given, except those that the interface calls optional. */
  update(id: string, update: Update, options?: CallOptions): Promise<Person>;
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** An entry of the activity log. */
export interface ActivityEntry extends Omit<RawActivityEntry, 'date'> {
  readonly date: Date;
}

/** Needs management API access; shared users and the log also organization management API access. */
export interface Management {
  readonly users: Managed<ManagementUser, NewUser, UserUpdate>;
  readonly sharedUsers: Managed<SharedUser, NewSharedUser, SharedUserUpdate>;
  /** From `from` up to but not including `to`, oldest first, as they arrive; periods of any length. */
  activityLog(period: { readonly from: Date; readonly to: Date }, options?: CallOptions): AsyncIterable<ActivityEntry>;
}

export function management(raw: RawOperations): Management {
  return {
    users: {
      list: ({ search, ...options } = {}) => walkPeople((input) => raw.listManagementUsers(input, options), search),
      get: async (userId, options) => (await raw.getManagementUser({ userId }, options)).body,
      create: async (body, options) => (await raw.createManagementUser({ body }, options)).body,
      update: async (userId, body, options) => (await raw.updateManagementUser({ userId, body }, options)).body,
      delete: async (userId, options) => (await raw.deleteManagementUser({ userId }, options)).body,
    },
    sharedUsers: {
      list: ({ search, ...options } = {}) => walkPeople((input) => raw.listSharedUsers(input, options), search),
      get: async (sharedUserId, options) => (await raw.getSharedUser({ sharedUserId }, options)).body,
      create: async (body, options) => (await raw.createSharedUser({ body }, options)).body,
      update: async (sharedUserId, body, options) => (await raw.updateSharedUser({ sharedUserId, body }, options)).body,
      delete: async (sharedUserId, options) => (await raw.deleteSharedUser({ sharedUserId }, options)).body,
    },
    activityLog: (period, options = {}) => activityLog(raw, period, options),
  };
}

/** One export covers at most 90 days. */
const PERIOD_MS_MAX = 90 * 24 * 60 * 60 * 1000;

async function* activityLog(
  raw: RawOperations,
  { from, to }: { readonly from: Date; readonly to: Date },
  { signal }: CallOptions,
): AsyncGenerator<ActivityEntry, void, undefined> {
  for (let start = from.getTime(); start < to.getTime() || start === from.getTime(); start += PERIOD_MS_MAX) {
    const end = Math.min(start + PERIOD_MS_MAX, to.getTime());
    const period = { startDate: new Date(start).toISOString(), endDate: new Date(end).toISOString() };
    const { body } = await raw.exportActivityLog(period, { signal });
    for await (const line of readLines(body)) {
      const entry = JSON.parse(line) as RawActivityEntry;
      yield { ...entry, date: new Date(entry.date) };
    }
  }
}

export interface Users {
  /** The users of the application, by name. `search` matches parts of names. */
  list(options?: PeopleOptions): AsyncIterable<User>;
  /** Sends a push notification to the devices of a user; admins only. */
  notify(userId: string, notification: Notification, options?: CallOptions): Promise<void>;
  readonly tokens: {
    list(userId: string, options?: CallOptions): Promise<readonly Token[]>;
    /** The secret is in `token`, this one time. */
    create(
      userId: string,
      token: { readonly name: string; readonly expiresAt?: Date | undefined },
      options?: CallOptions,
    ): Promise<CreatedToken>;
    revoke(userId: string, tokenId: string, options?: CallOptions): Promise<void>;
  };
  readonly devices: {
    list(userId: string, options?: CallOptions): Promise<readonly Device[]>;
    register(userId: string, device: NewDevice, options?: CallOptions): Promise<Device>;
    remove(userId: string, deviceId: string, options?: CallOptions): Promise<void>;
    /** What a browser needs to subscribe to notifications. */
    pushKey(options?: CallOptions): Promise<string>;
  };
}

export function users(raw: RawOperations): Users {
  return {
    list: ({ search, ...options } = {}) => walkPeople((input) => raw.listUsers(input, options), search),
    notify: async (userId, body, options) => (await raw.sendNotification({ userId, body }, options)).body,
    tokens: {
      list: async (userId, options) => (await raw.listTokens({ userId }, options)).body,
      create: async (userId, { name, expiresAt }, options) => {
        const body = { name, ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }) };
        return (await raw.createToken({ userId, body }, options)).body;
      },
      revoke: async (userId, tokenId, options) => (await raw.revokeToken({ userId, tokenId }, options)).body,
    },
    devices: {
      list: async (userId, options) => (await raw.listDevices({ userId }, options)).body,
      register: async (userId, body, options) => (await raw.registerDevice({ userId, body }, options)).body,
      remove: async (userId, deviceId, options) => (await raw.removeDevice({ userId, deviceId }, options)).body,
      pushKey: async (options) => (await raw.getPushKey({}, options)).body.publicKey,
    },
  };
}

export interface Sessions {
  /** Who the client is, with any credentials. */
  get(options?: CallOptions): Promise<Session>;
  /** Signs in. The client keeps the session's cookie, in a browser the browser does. */
  signIn(signIn: SignIn, options?: CallOptions): Promise<Session>;
  signOut(options?: CallOptions): Promise<void>;
  /** How people may sign in. Needs no credentials. */
  methods(options?: CallOptions): Promise<SignInMethods>;
  changePassword(
    passwords: { readonly currentPassword: string; readonly newPassword: string },
    options?: CallOptions,
  ): Promise<void>;
  requestPasswordReset(
    who: { readonly userId?: string; readonly email?: string },
    options?: CallOptions,
  ): Promise<void>;
  resetPassword(reset: { readonly token: string; readonly password: string }, options?: CallOptions): Promise<void>;
}

export function sessions(raw: RawOperations): Sessions {
  return {
    get: async (options) => (await raw.getSession({}, options)).body,
    signIn: async (body, options) => (await raw.signIn({ body }, options)).body,
    signOut: async (options) => (await raw.endSession({}, options)).body,
    methods: async (options) => (await raw.getSignInMethods({}, options)).body,
    changePassword: async (body, options) => (await raw.changePassword({ body }, options)).body,
    requestPasswordReset: async (body, options) => (await raw.requestPasswordReset({ body }, options)).body,
    resetPassword: async (body, options) => (await raw.resetPassword({ body }, options)).body,
  };
}
