// The operator's routes for people: the users and tokens of an application, organizations and their shared users. They run
// the operations of the management interface, without a caller whose rights would limit them.

import * as operators from '../../operations/people/operators.ts';
import * as organizations from '../../operations/people/organizations.ts';
import { operatorAsOrganizationManager } from '../../operations/people/shared-user-managers.ts';
import * as sharedUsers from '../../operations/people/shared-users.ts';
import * as tokens from '../../operations/people/tokens.ts';
import * as userChanges from '../../operations/people/user-changes.ts';
import { operatorAsManager } from '../../operations/people/user-managers.ts';
import * as users from '../../operations/people/users.ts';
import { OrganizationSettings } from '../../wire/operator.ts';
import { NewToken } from '../../wire/tokens.ts';
import { NewPassword, NewSharedUser, NewUser, SharedUserUpdate, UserUpdate } from '../../wire/users.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import type { Input } from '../requests/input.ts';
import {
  PAGE_PARAMETERS,
  readPageParameters,
  readUserSearch,
  USER_SEARCH_PARAMETERS,
} from '../requests/list-parameters.ts';
import { checkedLater, one } from '../requests/shapes.ts';
import { type OperatorRoute, ORDINARY_BYTES_MAX, operatorRoute } from './row.ts';

const APPLICATION = '/operator/v1/applications/:applicationId';
const USERS = `${APPLICATION}/users`;
const USER = `${USERS}/:userId`;
const TOKENS = `${USER}/tokens`;
const ORGANIZATIONS = '/operator/v1/organizations';
const ORGANIZATION = `${ORGANIZATIONS}/:name`;
const SHARED_USERS = `${ORGANIZATION}/sharedUsers`;
const SHARED_USER = `${SHARED_USERS}/:sharedUserId`;

const owner = ({ params }: Input<unknown>) => ({ applicationId: params.applicationId!, userId: params.userId! });

const USER_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: USERS,
    permission: 'operator',
    parameters: USER_SEARCH_PARAMETERS,
    sentence: 'Lists users by name, with everything that is known of them.',
    run: async (context, { params, query }) => {
      const manager = await operatorAsManager(context, params.applicationId!);
      return replyJson(await users.list(manager, readUserSearch(query)));
    },
  }),
  operatorRoute({
    method: 'POST',
    path: USERS,
    permission: 'operator',
    body: { shape: checkedLater(NewUser), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates a user, or activates a shared user.',
    run: async (context, { params, body }) =>
      replyJson(await users.create(await operatorAsManager(context, params.applicationId!), body)),
  }),
  operatorRoute({
    method: 'GET',
    path: USER,
    permission: 'operator',
    sentence: 'One user.',
    run: async (context, { params }) =>
      replyJson(await users.get(await operatorAsManager(context, params.applicationId!), params.userId!)),
  }),
  operatorRoute({
    method: 'PUT',
    path: USER,
    permission: 'operator',
    body: { shape: checkedLater(UserUpdate), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Updates a user.',
    run: async (context, { params, body }) => {
      const manager = await operatorAsManager(context, params.applicationId!);
      return replyJson(await userChanges.update(manager, params.userId!, body));
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: USER,
    permission: 'operator',
    sentence: 'Deletes a user; not in shared-users mode.',
    run: async (context, { params }) => {
      await userChanges.remove(await operatorAsManager(context, params.applicationId!), params.userId!);
      return NO_CONTENT;
    },
  }),
  operatorRoute({
    method: 'PUT',
    path: `${USER}/password`,
    permission: 'operator',
    body: { shape: checkedLater(NewPassword), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Sets the password of a user; not in shared-users mode.',
    run: async (context, { params, body }) => {
      await userChanges.setPassword(await operatorAsManager(context, params.applicationId!), params.userId!, body);
      return NO_CONTENT;
    },
  }),
];

const NAMED_USER_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/operators',
    permission: 'operator',
    parameters: PAGE_PARAMETERS,
    sentence: 'The users who are named as operators, in the order of naming.',
    run: async (context, { query }) => replyJson(await operators.list(context, readPageParameters(query))),
  }),
  operatorRoute({
    method: 'PUT',
    path: `${USER}/operator`,
    permission: 'key',
    sentence: "Names a user as an operator; the user's sessions end.",
    run: async (context, input) => {
      await operators.name(context, owner(input));
      return NO_CONTENT;
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${USER}/operator`,
    permission: 'key',
    sentence: 'Ends that a user is an operator.',
    run: async (context, input) => {
      await operators.unname(context, owner(input));
      return NO_CONTENT;
    },
  }),
];

const OPERATOR_TOKEN_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: `${APPLICATION}/tokens`,
    permission: 'operator',
    parameters: PAGE_PARAMETERS,
    sentence: 'The tokens of all users of an application, without their secrets.',
    run: async (context, { params, query }) =>
      replyJson(await tokens.listOfApplication(context, params.applicationId!, readPageParameters(query))),
  }),
  operatorRoute({
    method: 'POST',
    path: TOKENS,
    permission: 'operator',
    body: { shape: one(NewToken), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates an API token; its secret appears this once.',
    run: async (context, input) => replyJson(await tokens.createByOperator(context, owner(input), input.body)),
  }),
  operatorRoute({
    method: 'GET',
    path: TOKENS,
    permission: 'operator',
    sentence: "A user's tokens, without their secrets.",
    run: async (context, input) => replyJson(await tokens.listByOperator(context, owner(input))),
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${TOKENS}/:tokenId`,
    permission: 'operator',
    sentence: 'Revokes a token.',
    run: async (context, input) => {
      await tokens.revokeByOperator(context, owner(input), input.params.tokenId!);
      return NO_CONTENT;
    },
  }),
];

const ORGANIZATION_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: ORGANIZATIONS,
    permission: 'operator',
    parameters: PAGE_PARAMETERS,
    sentence: 'Lists organizations by name.',
    run: async (context, { query }) => replyJson(await organizations.list(context, readPageParameters(query))),
  }),
  operatorRoute({
    method: 'GET',
    path: ORGANIZATION,
    permission: 'operator',
    sentence: 'An organization.',
    run: async (context, { params }) => replyJson(await organizations.show(context, params.name!)),
  }),
  operatorRoute({
    method: 'PUT',
    path: ORGANIZATION,
    permission: 'operator',
    body: { shape: one(OrganizationSettings), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates an organization or sets its single sign-on.',
    run: async (context, { params, body }) => replyJson(await organizations.put(context, params.name!, body)),
  }),
  operatorRoute({
    method: 'POST',
    path: `${ORGANIZATION}/singleSignOn/examination`,
    permission: 'operator',
    sentence: "Reads the description and the keys of an organization's provider of single sign-on.",
    run: async (context, { params }) => replyJson(await organizations.examineProvider(context, params.name!)),
  }),
];

const SHARED_USER_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: SHARED_USERS,
    permission: 'operator',
    parameters: USER_SEARCH_PARAMETERS,
    sentence: 'Lists the shared users of an organization by name.',
    run: async (context, { params, query }) => {
      const manager = await operatorAsOrganizationManager(context, params.name!);
      return replyJson(await sharedUsers.list(manager, readUserSearch(query)));
    },
  }),
  operatorRoute({
    method: 'POST',
    path: SHARED_USERS,
    permission: 'operator',
    body: { shape: checkedLater(NewSharedUser), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates a shared user.',
    run: async (context, { params, body }) =>
      replyJson(await sharedUsers.create(await operatorAsOrganizationManager(context, params.name!), body)),
  }),
  operatorRoute({
    method: 'GET',
    path: SHARED_USER,
    permission: 'operator',
    sentence: 'One shared user.',
    run: async (context, { params }) => {
      const manager = await operatorAsOrganizationManager(context, params.name!);
      return replyJson(await sharedUsers.get(manager, params.sharedUserId!));
    },
  }),
  operatorRoute({
    method: 'PUT',
    path: SHARED_USER,
    permission: 'operator',
    body: { shape: checkedLater(SharedUserUpdate), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Updates a shared user.',
    run: async (context, { params, body }) => {
      const manager = await operatorAsOrganizationManager(context, params.name!);
      return replyJson(await sharedUsers.update(manager, params.sharedUserId!, body));
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: SHARED_USER,
    permission: 'operator',
    sentence: 'Deletes a shared user, out of every application.',
    run: async (context, { params }) => {
      await sharedUsers.remove(await operatorAsOrganizationManager(context, params.name!), params.sharedUserId!);
      return NO_CONTENT;
    },
  }),
  operatorRoute({
    method: 'PUT',
    path: `${SHARED_USER}/password`,
    permission: 'operator',
    body: { shape: checkedLater(NewPassword), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Sets the password of a shared user; not with single sign-on.',
    run: async (context, { params, body }) => {
      const manager = await operatorAsOrganizationManager(context, params.name!);
      await sharedUsers.setPassword(manager, params.sharedUserId!, body);
      return NO_CONTENT;
    },
  }),
];

export const OPERATOR_PEOPLE_ROUTES: readonly OperatorRoute[] = [
  ...USER_ROUTES,
  ...NAMED_USER_ROUTES,
  ...OPERATOR_TOKEN_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...SHARED_USER_ROUTES,
];
