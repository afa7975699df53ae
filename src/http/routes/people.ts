// The routes of users, their management, and the shared users of the organization.

import * as passwordLinks from '../../operations/people/password-links.ts';
import { callerAsOrganizationManager } from '../../operations/people/shared-user-managers.ts';
import * as sharedUsers from '../../operations/people/shared-users.ts';
import * as userChanges from '../../operations/people/user-changes.ts';
import * as userGroups from '../../operations/people/user-groups.ts';
import { callerAsManager } from '../../operations/people/user-managers.ts';
import * as users from '../../operations/people/users.ts';
import { NewPasswordLink, PasswordLink } from '../../wire/sessions.ts';
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
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { json, list, nothing } from '../replies/success.ts';
import { readUserPage, USER_LIST_PARAMETERS } from '../requests/list-parameters.ts';
import { checkedLater, one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const USERS = '/v1/:applicationId/management/users';
const USER = `${USERS}/:userId`;
const SHARED_USERS = '/v1/:applicationId/management/sharedUsers';
const SHARED_USER = `${SHARED_USERS}/:sharedUserId`;

export const PEOPLE_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/users',
    permission: 'api',
    group: 'records-read',
    parameters: USER_LIST_PARAMETERS,
    operation: 'listUsers',
    sentence: 'Lists users by name.',
    success: [list(UserShort, 'A page of users.')],
    run: async (context, { query }) => replyJson(await users.listShort(context, readUserPage(query))),
  }),
  userRoute({
    method: 'GET',
    path: USERS,
    permission: 'management',
    group: 'management-read',
    parameters: USER_LIST_PARAMETERS,
    operation: 'listManagementUsers',
    sentence: 'Lists users by name, with everything that is known of them.',
    success: [list(ManagementUser, 'A page of users.')],
    run: async (context, { query }) => replyJson(await users.list(callerAsManager(context), readUserPage(query))),
  }),
  userRoute({
    method: 'GET',
    path: USER,
    permission: 'management',
    group: 'management-read',
    operation: 'getManagementUser',
    sentence: 'One user.',
    success: [json(ManagementUser, 'The user.')],
    run: async (context, { params }) => replyJson(await users.get(callerAsManager(context), params.userId!)),
  }),
  userRoute({
    method: 'POST',
    path: USERS,
    permission: 'management',
    group: 'management-write',
    body: { shape: checkedLater(NewUser), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'createManagementUser',
    sentence: 'Creates a user, or activates a shared user.',
    success: [json(ManagementUser, 'The user.')],
    run: async (context, { body }) => replyJson(await users.create(callerAsManager(context), body)),
  }),
  userRoute({
    method: 'PUT',
    path: USER,
    permission: 'management',
    group: 'management-write',
    body: { shape: checkedLater(UserUpdate), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'updateManagementUser',
    sentence: 'Updates a user.',
    success: [json(ManagementUser, 'The user.')],
    run: async (context, { params, body }) =>
      replyJson(await userChanges.update(callerAsManager(context), params.userId!, body)),
  }),
  userRoute({
    method: 'DELETE',
    path: USER,
    permission: 'management',
    group: 'management-write',
    operation: 'deleteManagementUser',
    sentence: 'Deletes a user; not in shared-users mode.',
    success: [nothing('Deleted.')],
    run: async (context, { params }) => {
      await userChanges.remove(callerAsManager(context), params.userId!);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'POST',
    path: `${USER}/passwordLink`,
    permission: 'management',
    group: 'management-write',
    showsSecret: true,
    body: { shape: one(NewPasswordLink), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'createPasswordLink',
    sentence: 'Makes a link with which a user sets a password, to mail or to hand over.',
    success: [json(PasswordLink, 'The link, unless it is mailed.')],
    run: async (context, { params, body }) => replyJson(await passwordLinks.create(context, params.userId!, body)),
  }),
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/management/profiles',
    permission: 'management',
    group: 'management-read',
    operation: 'listProfiles',
    sentence: 'Lists the profiles, and how many users each has.',
    success: [list(UserGroup, 'The profiles.')],
    run: async (context) => replyJson(await userGroups.listProfiles(callerAsManager(context))),
  }),
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/management/teams',
    permission: 'management',
    group: 'management-read',
    operation: 'listTeams',
    sentence: 'Lists the teams, and how many users each has; only in team mode.',
    success: [list(UserGroup, 'The teams.')],
    run: async (context) => replyJson(await userGroups.listTeams(callerAsManager(context))),
  }),
  userRoute({
    method: 'GET',
    path: SHARED_USERS,
    permission: 'organization',
    group: 'management-read',
    parameters: USER_LIST_PARAMETERS,
    operation: 'listSharedUsers',
    sentence: "Lists the organization's shared users by name.",
    success: [list(ManagementSharedUser, 'A page of shared users.')],
    run: async (context, { query }) =>
      replyJson(await sharedUsers.list(callerAsOrganizationManager(context), readUserPage(query))),
  }),
  userRoute({
    method: 'GET',
    path: SHARED_USER,
    permission: 'organization',
    group: 'management-read',
    operation: 'getSharedUser',
    sentence: 'One shared user.',
    success: [json(ManagementSharedUser, 'The shared user.')],
    run: async (context, { params }) =>
      replyJson(await sharedUsers.get(callerAsOrganizationManager(context), params.sharedUserId!)),
  }),
  userRoute({
    method: 'POST',
    path: SHARED_USERS,
    permission: 'organization',
    group: 'management-write',
    body: { shape: checkedLater(NewSharedUser), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'createSharedUser',
    sentence: 'Creates a shared user.',
    success: [json(ManagementSharedUser, 'The shared user.')],
    run: async (context, { body }) => replyJson(await sharedUsers.create(callerAsOrganizationManager(context), body)),
  }),
  userRoute({
    method: 'PUT',
    path: SHARED_USER,
    permission: 'organization',
    group: 'management-write',
    body: { shape: checkedLater(SharedUserUpdate), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'updateSharedUser',
    sentence: 'Updates a shared user.',
    success: [json(ManagementSharedUser, 'The shared user.')],
    run: async (context, { params, body }) =>
      replyJson(await sharedUsers.update(callerAsOrganizationManager(context), params.sharedUserId!, body)),
  }),
  userRoute({
    method: 'DELETE',
    path: SHARED_USER,
    permission: 'organization',
    group: 'management-write',
    operation: 'deleteSharedUser',
    sentence: 'Deletes a shared user, out of every application.',
    success: [nothing('Deleted.')],
    run: async (context, { params }) => {
      await sharedUsers.remove(callerAsOrganizationManager(context), params.sharedUserId!);
      return NO_CONTENT;
    },
  }),
];
