// The JSON of users: the short form in records, the form of the management operations, and the bodies that create and change
// users.

import type { Static } from 'typebox';
import { identifier } from './identifiers.ts';
import { Type } from './type.ts';

export const UserShort = Type.Object({ id: identifier('userId'), name: Type.String() });
export type UserShort = Static<typeof UserShort>;

const Named = Type.Object({ name: Type.String() });

export const ManagementUser = Type.Object({
  id: identifier('userId'),
  name: Type.String(),
  email: Type.String(),
  admin: Type.Boolean(),
  apiAccess: Type.Boolean(),
  managementApiAccess: Type.Boolean(),
  organizationManagementApiAccess: Type.Boolean(),
  profile: Named,
  team: Type.Optional(Named),
  teamLeader: Type.Optional(Type.Boolean()),
  disabled: Type.Boolean(),
});
export type ManagementUser = Static<typeof ManagementUser>;

export const ManagementSharedUser = Type.Object({
  id: identifier('sharedUserId'),
  name: Type.String(),
  email: Type.String(),
  disabled: Type.Boolean(),
});
export type ManagementSharedUser = Static<typeof ManagementSharedUser>;

/** A profile or a team. `removed`: it is no longer published, and users still have it. */
export const UserGroup = Type.Object({
  name: Type.String(),
  users: Type.Integer(),
  removed: Type.Optional(Type.Literal(true)),
});
export type UserGroup = Static<typeof UserGroup>;

const bodyOptions = { additionalProperties: false } as const;
const NamedOnly = Type.Object({ name: Type.String() }, bodyOptions);

const CREDENTIALS = { email: Type.String(), password: Type.String() };
const RIGHTS = {
  admin: Type.Boolean(),
  apiAccess: Type.Boolean(),
  managementApiAccess: Type.Boolean(),
  organizationManagementApiAccess: Type.Optional(Type.Boolean()),
  profile: NamedOnly,
};
const MEMBERSHIP = { team: NamedOnly, teamLeader: Type.Boolean() };

const OPTIONAL_CREDENTIALS = { email: Type.Optional(Type.String()), password: Type.Optional(Type.String()) };
const OPTIONAL_MEMBERSHIP = { team: Type.Optional(NamedOnly), teamLeader: Type.Optional(Type.Boolean()) };

/** The members of a new user in any application; `newUserIn` says which of them an application requires. */
export const NewUser = Type.Object(
  { name: Type.String(), ...OPTIONAL_CREDENTIALS, ...RIGHTS, ...OPTIONAL_MEMBERSHIP },
  bodyOptions,
);
export type NewUser = Static<typeof NewUser>;

export const UserUpdate = Type.Object(
  { ...OPTIONAL_CREDENTIALS, ...RIGHTS, ...OPTIONAL_MEMBERSHIP, disabled: Type.Boolean() },
  bodyOptions,
);
export type UserUpdate = Static<typeof UserUpdate>;

/** The two switches of an application that decide which members its users have. */
export interface UserModes {
  readonly sharedUsersModeEnabled: boolean;
  readonly teamsModeEnabled: boolean;
}

export const newUserIn = ({ sharedUsersModeEnabled, teamsModeEnabled }: UserModes) =>
  Type.Object(
    {
      name: Type.String(),
      ...(sharedUsersModeEnabled ? {} : CREDENTIALS),
      ...RIGHTS,
      ...(teamsModeEnabled ? MEMBERSHIP : {}),
    },
    bodyOptions,
  );

export const userUpdateIn = ({ sharedUsersModeEnabled, teamsModeEnabled }: UserModes) =>
  Type.Object(
    {
      ...(sharedUsersModeEnabled ? {} : { ...CREDENTIALS, password: Type.Optional(Type.String()) }),
      ...RIGHTS,
      ...(teamsModeEnabled ? MEMBERSHIP : {}),
      disabled: Type.Boolean(),
    },
    bodyOptions,
  );

export const NewSharedUser = Type.Object(
  { name: Type.String(), email: Type.String(), password: Type.Optional(Type.String()) },
  bodyOptions,
);
export type NewSharedUser = Static<typeof NewSharedUser>;

export const SharedUserUpdate = Type.Object(
  { email: Type.String(), disabled: Type.Boolean(), password: Type.Optional(Type.String()) },
  bodyOptions,
);
export type SharedUserUpdate = Static<typeof SharedUserUpdate>;

/** What the operator sets for a user or a shared user. */
export const NewPassword = Type.Object({ password: Type.String() }, bodyOptions);
export type NewPassword = Static<typeof NewPassword>;

/** Users sign in with a password or at the organization's provider, never both. */
export const newSharedUserIn = (singleSignOn: boolean) =>
  Type.Object(
    { name: Type.String(), email: Type.String(), ...(singleSignOn ? {} : { password: Type.String() }) },
    bodyOptions,
  );

export const sharedUserUpdateIn = (singleSignOn: boolean) =>
  Type.Object(
    {
      email: Type.String(),
      disabled: Type.Boolean(),
      ...(singleSignOn ? {} : { password: Type.Optional(Type.String()) }),
    },
    bodyOptions,
  );
