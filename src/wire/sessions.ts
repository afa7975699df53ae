// Bodies of signing in and of passwords that people change themselves.

import type { Static } from 'typebox';
import { Type } from './type.ts';

const strict = { additionalProperties: false } as const;

/** As presented, right or wrong: bounded, and nothing else. */
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

/** What the rules for passwords say is answered by them. */
const NewPassword = Type.String();

export const PasswordReset = Type.Object({ token: Presented, password: NewPassword }, strict);
export type PasswordReset = Static<typeof PasswordReset>;

export const PasswordChange = Type.Object({ currentPassword: Presented, newPassword: NewPassword }, strict);
export type PasswordChange = Static<typeof PasswordChange>;

export interface SessionView {
  readonly user: { readonly id: string; readonly name: string };
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess: boolean;
  readonly sessionExpiresAt?: string;
}
