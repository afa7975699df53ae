// People as they travel: the short form in records, the form of the management operations, and what creates one.

import { type Static, Type } from 'typebox';
import { identifier } from './identifiers.ts';

export interface UserShort {
  readonly id: string;
  readonly name: string;
}

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

const bodyOptions = { additionalProperties: false } as const;
const NamedOnly = Type.Object({ name: Type.String() }, bodyOptions);

/** Which of these must and must not be given depends on the application's modes: domain/users says. */
export const NewUser = Type.Object(
  {
    name: Type.String(),
    email: Type.Optional(Type.String()),
    password: Type.Optional(Type.String()),
    admin: Type.Boolean(),
    apiAccess: Type.Boolean(),
    managementApiAccess: Type.Boolean(),
    organizationManagementApiAccess: Type.Optional(Type.Boolean()),
    profile: NamedOnly,
    team: Type.Optional(NamedOnly),
    teamLeader: Type.Optional(Type.Boolean()),
  },
  bodyOptions,
);
export type NewUser = Static<typeof NewUser>;

export const NewSharedUser = Type.Object(
  { name: Type.String(), email: Type.String(), password: Type.Optional(Type.String()) },
  bodyOptions,
);
export type NewSharedUser = Static<typeof NewSharedUser>;
