// The bodies for signing in and for changing one's own password.

import type { Static } from 'typebox';
import { Instant, Type } from './type.ts';
import { UserShort } from './users.ts';

const strict = { additionalProperties: false } as const;

/** A password to be checked: only its length is limited. */
const Presented = Type.String({ minLength: 1, maxLength: 2_000 });
/** By identifier, or by e-mail address: exactly one of the two. */
const UserId = Type.String({ minLength: 1, maxLength: 100 });
const Email = Type.String({ minLength: 1, maxLength: 320 });

export const SignIn = Type.Object(
  { userId: Type.Optional(UserId), email: Type.Optional(Email), password: Presented },
  strict,
);
export type SignIn = Static<typeof SignIn>;

export const PasswordResetRequest = Type.Object({ userId: Type.Optional(UserId), email: Type.Optional(Email) }, strict);
export type PasswordResetRequest = Static<typeof PasswordResetRequest>;

/** The rules for passwords are checked by the operation, which has error codes of its own for them. */
const NewPassword = Type.String();

export const PasswordReset = Type.Object({ token: Presented, password: NewPassword }, strict);
export type PasswordReset = Static<typeof PasswordReset>;

export const PasswordChange = Type.Object({ currentPassword: Presented, newPassword: NewPassword }, strict);
export type PasswordChange = Static<typeof PasswordChange>;

export const SessionView = Type.Object({
  user: UserShort,
  /** Absent if the user has none. */
  email: Type.Optional(Type.String()),
  admin: Type.Boolean(),
  apiAccess: Type.Boolean(),
  managementApiAccess: Type.Boolean(),
  organizationManagementApiAccess: Type.Boolean(),
  /** The application's. */
  timeZone: Type.String(),
  /** Present if the operator has named the user: then the session opens the operator's interface, too. */
  operator: Type.Optional(Type.Literal(true)),
  sessionExpiresAt: Type.Optional(Instant),
});
export type SessionView = Static<typeof SessionView>;

export const SignInMethods = Type.Object({
  /** The application's; absent if there is no such application. */
  name: Type.Optional(Type.String()),
  password: Type.Boolean(),
  singleSignOn: Type.Boolean(),
  passwordReset: Type.Boolean(),
});

/** One of a user's sessions. */
export const OpenSession = Type.Object({
  id: Type.String(),
  createdAt: Instant,
  /** Accurate to a quarter of an hour. */
  lastUsedAt: Instant,
  expiresAt: Instant,
  ip: Type.String(),
  /** The browser's `User-Agent`. */
  agent: Type.String(),
  /** Whether it is the session of the request. */
  current: Type.Boolean(),
});
export type OpenSession = Static<typeof OpenSession>;

/** `mail`: to the user's address; otherwise the link is in the reply. */
export const NewPasswordLink = Type.Object({ mail: Type.Boolean() }, strict);
export type NewPasswordLink = Static<typeof NewPasswordLink>;

export const PasswordLink = Type.Object({ link: Type.Optional(Type.String()), expiresAt: Instant });
export type PasswordLink = Static<typeof PasswordLink>;
