// `cartulary users`: the users of an application.

import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser } from '../../wire/users.ts';
import { usageFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { printTable } from './columns.ts';
import { findApplication, findApplicationId, findUser, usersPath } from './names.ts';
import { PASSWORD_OPTION, type PasswordOptions, passwordAdvice, readPassword } from './passwords.ts';
import {
  CONFIRM_DELETE,
  deletePerson,
  PEOPLE_LIST_OPTIONS,
  type PeopleListOptions,
  personTitle,
  printList,
  setPassword,
  warnOfSameEmail,
} from './people.ts';
import { type CommandRow, JSON_OPTION, type OptionRow, operatorCommand, type Printing, printJson } from './row.ts';
import { rightsCell, rightsText, withKnownNames } from './user-rights.ts';

const MEMBERSHIP_OPTIONS: readonly OptionRow[] = [
  { flags: '--team <name>', text: 'team, where the application has teams' },
  { flags: '--team-leader', text: 'leads the team' },
];

interface NewUserOptions extends PasswordOptions {
  readonly name: string;
  readonly email?: string;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess?: boolean;
  readonly organizationManagementApiAccess?: true;
  readonly profile: string;
  readonly team?: string;
  readonly teamLeader?: true;
}

async function create(client: OperatorClient, given: string, options: NewUserOptions): Promise<void> {
  const definition = await findApplication(client, given);
  const { name, email, admin, apiAccess, profile, team } = options;
  const { sharedUsersModeEnabled, id } = definition;
  // Before the password is asked for.
  if (!sharedUsersModeEnabled && email === undefined) throw usageFailure('--email is missing.');
  const asks = options.passwordStdin || !sharedUsersModeEnabled;
  const password = asks ? await readPassword(options) : undefined;
  const body = {
    name,
    ...(email === undefined ? {} : { email }),
    ...(password === undefined ? {} : { password }),
    admin,
    apiAccess,
    // Users who have it can become admins, so it is left out with `--no-admin`.
    managementApiAccess: options.managementApiAccess ?? (admin && apiAccess),
    organizationManagementApiAccess: options.organizationManagementApiAccess ?? false,
    profile: { name: profile },
    ...(team === undefined ? {} : { team: { name: team }, teamLeader: options.teamLeader ?? false }),
  };
  const user = (await withKnownNames(definition, client.send('POST', usersPath(id), body))) as ManagementUser;
  printJson(user);
  console.error(`Created ${personTitle(user)} in ${definition.name}: ${rightsText(user)}.`);
  await warnOfSameEmail(client, usersPath(id), user);
}

interface UpdateOptions {
  readonly email?: string;
  readonly admin?: boolean;
  readonly apiAccess?: boolean;
  readonly managementApiAccess?: boolean;
  readonly organizationManagementApiAccess?: boolean;
  readonly profile?: string;
  readonly team?: string;
  readonly teamLeader?: boolean;
}

/** The whole user as an update takes it: what no option changes stays. */
function updateOf(user: ManagementUser, definition: Definition, options: UpdateOptions & { disabled?: boolean }) {
  const { email, profile, team } = options;
  const { sharedUsersModeEnabled, teamsModeEnabled } = definition;
  const member = team === undefined ? user.team : { name: team };
  // A right goes with the one that it requires.
  const apiAccess = options.apiAccess ?? user.apiAccess;
  const managementApiAccess = options.managementApiAccess ?? (user.managementApiAccess && apiAccess);
  return {
    ...(sharedUsersModeEnabled && email === undefined ? {} : { email: email ?? user.email }),
    admin: options.admin ?? user.admin,
    apiAccess,
    managementApiAccess,
    organizationManagementApiAccess:
      options.organizationManagementApiAccess ?? (user.organizationManagementApiAccess && managementApiAccess),
    profile: profile === undefined ? user.profile : { name: profile },
    ...(member === undefined ? {} : { team: member }),
    ...(teamsModeEnabled || options.teamLeader !== undefined
      ? { teamLeader: options.teamLeader ?? user.teamLeader ?? false }
      : {}),
    disabled: options.disabled ?? user.disabled,
  };
}

async function change(
  client: OperatorClient,
  [application = '', given = '']: readonly string[],
  options: UpdateOptions & { disabled?: boolean },
): Promise<{ user: ManagementUser; list: string }> {
  const definition = await findApplication(client, application);
  const before = await findUser(client, definition.id, given);
  const list = usersPath(definition.id);
  const sent = client.send('PUT', `${list}/${before.id}`, updateOf(before, definition, options));
  return { user: (await withKnownNames(definition, sent)) as ManagementUser, list };
}

async function update(client: OperatorClient, args: readonly string[], options: UpdateOptions): Promise<void> {
  const names = ['email', 'admin', 'apiAccess', 'managementApiAccess', 'profile', 'team', 'teamLeader'] as const;
  const isChanged = [...names, 'organizationManagementApiAccess' as const].some((name) => options[name] !== undefined);
  if (!isChanged) throw usageFailure('Nothing to change; give an option, such as --email or --no-admin.');
  const { user, list } = await change(client, args, options);
  console.log(`Updated ${personTitle(user)}: ${rightsText(user)}.`);
  if (options.email !== undefined) await warnOfSameEmail(client, list, user);
}

async function setDisabled(client: OperatorClient, args: readonly string[], disabled: boolean): Promise<void> {
  const { user } = await change(client, args, { disabled });
  const effect = disabled ? 'is disabled: sessions have ended, and tokens and the password are refused' : 'is enabled';
  console.log(`${personTitle(user)} ${effect}.`);
}

/** Identifiers of the application and the user that the arguments name. */
async function find(client: OperatorClient, [application = '', given = '']: readonly string[]) {
  const applicationId = await findApplicationId(client, application);
  const user = await findUser(client, applicationId, given);
  return { user, path: `${usersPath(applicationId)}/${user.id}` };
}

function printUser(user: ManagementUser): void {
  printTable([
    ['Name', user.name],
    ['ID', user.id],
    ['E-mail', user.email],
    ['Rights', rightsCell(user)],
    ['Profile', user.profile.name],
    ...(user.team === undefined ? [] : [['Team', `${user.team.name}${user.teamLeader ? ' (leader)' : ''}`]]),
    ['State', user.disabled ? 'disabled' : 'enabled'],
  ]);
}

const HEADINGS = ['Name', 'ID', 'E-mail', 'Rights', 'Profile', 'State'];

export const USER_COMMANDS: readonly CommandRow[] = [
  operatorCommand<PeopleListOptions>({
    usage: 'users list <application>',
    byProfile: true,
    summary: 'list the users of an application, or search them',
    options: PEOPLE_LIST_OPTIONS,
    examples: ["users list 'Field inspections'", "users list 'Field inspections' --email naomi@"],
    run: async (client, { args: [application = ''], options }) => {
      const { search, name, email } = options;
      const list = {
        path: usersPath(await findApplicationId(client, application)),
        parameters: { search, name, email },
        headings: HEADINGS,
        row: (user: ManagementUser) => [
          user.name,
          user.id,
          user.email,
          rightsCell(user),
          user.profile.name,
          user.disabled ? 'disabled' : 'enabled',
        ],
        none: 'There are no such users.',
      };
      await printList(client, list, options);
    },
  }),
  operatorCommand<Printing>({
    usage: 'users show <application> <user>',
    byProfile: true,
    summary: 'show a user',
    options: [JSON_OPTION],
    examples: ["users show 'Field inspections' naomi@example.com"],
    run: async (client, { args, options }) => {
      const { user } = await find(client, args);
      if (options.json) printJson(user);
      else printUser(user);
    },
  }),
  operatorCommand<NewUserOptions>({
    usage: 'users create <application>',
    byProfile: true,
    summary: 'create a user, an admin unless you say otherwise; or activate a shared user',
    options: [
      { flags: '--name <name>', text: 'name, unique within the application', required: true },
      { flags: '--email <address>', text: 'e-mail address (not for shared users)' },
      PASSWORD_OPTION,
      { flags: '--no-admin', text: 'not an admin, and without management access unless you add it' },
      { flags: '--no-api-access', text: 'may not use the interface' },
      { flags: '--management-api-access', text: 'may manage users, by default if the user is an admin' },
      { flags: '--no-management-api-access', text: 'may not manage users' },
      { flags: '--organization-management-api-access', text: 'may manage shared users' },
      { flags: '--profile <name>', text: 'profile', default: 'Standard' },
      ...MEMBERSHIP_OPTIONS,
    ],
    details: `By default the user is an admin who sees and changes all records, with API and management access: the first user
of an application has to be one. For an ordinary user add --no-admin.

E-mail addresses should differ: if several users have the same one, none of them can sign in by e-mail, only by user ID.

Where the application has shared users, --name is that of a shared user of its organization, who has an e-mail address
and a password already. The user is printed as JSON on standard output.`,
    advice: passwordAdvice,
    examples: [
      "users create 'Field inspections' --name Ada --email ada@example.com",
      "users create 'Field inspections' --name Bob --email bob@example.com --no-admin",
    ],
    run: (client, { args: [application = ''], options }) => create(client, application, options),
  }),
  operatorCommand<UpdateOptions>({
    usage: 'users update <application> <user>',
    byProfile: true,
    summary: 'change a user; what you do not name stays',
    options: [
      { flags: '--email <address>', text: 'e-mail address (not for shared users)' },
      { flags: '--admin', text: 'an admin' },
      { flags: '--no-admin', text: 'not an admin' },
      { flags: '--api-access', text: 'may use the interface' },
      { flags: '--no-api-access', text: 'may not use the interface' },
      { flags: '--management-api-access', text: 'may manage users' },
      { flags: '--no-management-api-access', text: 'may not manage users' },
      { flags: '--organization-management-api-access', text: 'may manage shared users' },
      { flags: '--no-organization-management-api-access', text: 'may not manage shared users' },
      { flags: '--profile <name>', text: 'profile' },
      ...MEMBERSHIP_OPTIONS,
      { flags: '--no-team-leader', text: 'does not lead the team' },
    ],
    examples: ["users update 'Field inspections' Bob --email bob@example.org --admin"],
    run: (client, { args, options }) => update(client, args, options),
  }),
  operatorCommand({
    usage: 'users disable <application> <user>',
    byProfile: true,
    summary: 'keep a user out, without deleting it',
    examples: ["users disable 'Field inspections' Bob"],
    run: (client, { args }) => setDisabled(client, args, true),
  }),
  operatorCommand({
    usage: 'users enable <application> <user>',
    byProfile: true,
    summary: 'let a disabled user in again',
    examples: ["users enable 'Field inspections' Bob"],
    run: (client, { args }) => setDisabled(client, args, false),
  }),
  operatorCommand({
    usage: 'users delete <application> <user>',
    byProfile: true,
    summary: 'delete a user; what the user made stays',
    options: [CONFIRM_DELETE],
    examples: ["users delete 'Field inspections' bob@example.org --yes"],
    run: async (client, { args }) => deletePerson(client, await find(client, args)),
  }),
  operatorCommand<PasswordOptions>({
    usage: 'users set-password <application> <user>',
    byProfile: true,
    summary: "set a user's password, which ends the user's sessions",
    options: [PASSWORD_OPTION],
    advice: passwordAdvice,
    examples: ["users set-password 'Field inspections' Bob"],
    run: async (client, { args, options }) => setPassword(client, await find(client, args), options),
  }),
];
