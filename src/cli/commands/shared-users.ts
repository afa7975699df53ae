// `cartulary shared-users`: the people of an organization, who can be users of each of its applications.

import type { ManagementSharedUser } from '../../wire/users.ts';
import type { OperatorClient } from '../operator-client.ts';
import { printTable } from './columns.ts';
import { findOrganization, findSharedUser, organizationPath, sharedUsersPath } from './names.ts';
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
import { type CommandRow, JSON_OPTION, operatorCommand, type Printing, printJson } from './row.ts';

interface NewSharedUserOptions extends PasswordOptions {
  readonly name: string;
  readonly email: string;
}

async function create(client: OperatorClient, given: string, options: NewSharedUserOptions): Promise<void> {
  const organization = await findOrganization(client, given);
  const { name, email } = options;
  const { singleSignOn } = (await client.send('GET', organizationPath(organization))) as {
    singleSignOn: object | null;
  };
  const asks = options.passwordStdin || singleSignOn === null;
  const password = asks ? await readPassword(options) : undefined;
  const body = { name, email, ...(password === undefined ? {} : { password }) };
  const user = (await client.send('POST', sharedUsersPath(organization), body)) as ManagementSharedUser;
  printJson(user);
  console.error(
    `Created ${personTitle(user)} in ${organization}. \`users create <application> --name\` activates shared users in an application.`,
  );
  await warnOfSameEmail(client, sharedUsersPath(organization), user);
}

/** The shared user that the arguments name, and its path. */
async function find(client: OperatorClient, [given = '', name = '']: readonly string[]) {
  const organization = await findOrganization(client, given);
  const user = await findSharedUser(client, organization, name);
  const list = sharedUsersPath(organization);
  return { user, list, path: `${list}/${user.id}` };
}

async function change(
  client: OperatorClient,
  args: readonly string[],
  options: { readonly email?: string; readonly disabled?: boolean },
): Promise<{ user: ManagementSharedUser; list: string }> {
  const { user, list, path } = await find(client, args);
  const body = { email: options.email ?? user.email, disabled: options.disabled ?? user.disabled };
  return { user: (await client.send('PUT', path, body)) as ManagementSharedUser, list };
}

async function setDisabled(client: OperatorClient, args: readonly string[], disabled: boolean): Promise<void> {
  const { user } = await change(client, args, { disabled });
  console.log(`${personTitle(user)} is ${disabled ? 'disabled in every application' : 'enabled'}.`);
}

const stateOf = ({ disabled }: ManagementSharedUser): string => (disabled ? 'disabled' : 'enabled');

const NEW_OPTIONS = [
  { flags: '--name <name>', text: 'name, unique within the organization', required: true },
  { flags: '--email <address>', text: 'e-mail address', required: true },
  PASSWORD_OPTION,
] as const;
const NEW_DETAILS = `While the organization has single sign-on, shared users have no password, and none is asked for.
The shared user is printed as JSON on standard output.`;

export const SHARED_USER_COMMANDS: readonly CommandRow[] = [
  operatorCommand<PeopleListOptions>({
    usage: 'shared-users list <organization>',
    byProfile: true,
    summary: 'list the shared users of an organization, or search them',
    options: PEOPLE_LIST_OPTIONS,
    examples: ['shared-users list Acme', 'shared-users list Acme --name grace'],
    run: async (client, { args: [given = ''], options }) => {
      const { search, name, email } = options;
      const list = {
        path: sharedUsersPath(await findOrganization(client, given)),
        parameters: { search, name, email },
        headings: ['Name', 'ID', 'E-mail', 'State'],
        row: (user: ManagementSharedUser) => [user.name, user.id, user.email, stateOf(user)],
        none: 'There are no such shared users.',
      };
      await printList(client, list, options);
    },
  }),
  operatorCommand<Printing>({
    usage: 'shared-users show <organization> <user>',
    byProfile: true,
    summary: 'show a shared user',
    options: [JSON_OPTION],
    examples: ['shared-users show Acme grace@example.com'],
    run: async (client, { args, options }) => {
      const { user } = await find(client, args);
      if (options.json) printJson(user);
      else {
        const { name, id, email } = user;
        printTable([
          ['Name', name],
          ['ID', id],
          ['E-mail', email],
          ['State', stateOf(user)],
        ]);
      }
    },
  }),
  operatorCommand<NewSharedUserOptions>({
    usage: 'shared-users create <organization>',
    byProfile: true,
    summary: 'create a shared user',
    options: NEW_OPTIONS,
    details: NEW_DETAILS,
    advice: passwordAdvice,
    examples: ['shared-users create Acme --name Grace --email grace@example.com'],
    run: (client, { args: [organization = ''], options }) => create(client, organization, options),
  }),
  operatorCommand<{ email: string }>({
    usage: 'shared-users update <organization> <user>',
    byProfile: true,
    summary: 'change the e-mail address of a shared user',
    options: [{ flags: '--email <address>', text: 'e-mail address', required: true }],
    examples: ['shared-users update Acme Grace --email grace@example.org'],
    run: async (client, { args, options }) => {
      const { user, list } = await change(client, args, options);
      console.log(`Updated ${personTitle(user)}: ${user.email}.`);
      await warnOfSameEmail(client, list, user);
    },
  }),
  operatorCommand({
    usage: 'shared-users disable <organization> <user>',
    byProfile: true,
    summary: 'keep a shared user out of every application',
    examples: ['shared-users disable Acme Grace'],
    run: (client, { args }) => setDisabled(client, args, true),
  }),
  operatorCommand({
    usage: 'shared-users enable <organization> <user>',
    byProfile: true,
    summary: 'let a disabled shared user in again',
    examples: ['shared-users enable Acme Grace'],
    run: (client, { args }) => setDisabled(client, args, false),
  }),
  operatorCommand({
    usage: 'shared-users delete <organization> <user>',
    byProfile: true,
    summary: 'delete a shared user, out of every application; what the user made stays',
    options: [CONFIRM_DELETE],
    examples: ['shared-users delete Acme Grace --yes'],
    run: async (client, { args }) => deletePerson(client, await find(client, args)),
  }),
  operatorCommand<PasswordOptions>({
    usage: 'shared-users set-password <organization> <user>',
    byProfile: true,
    summary: "set a shared user's password, which ends the user's sessions",
    options: [PASSWORD_OPTION],
    advice: passwordAdvice,
    examples: ['shared-users set-password Acme Grace'],
    run: async (client, { args, options }) => setPassword(client, await find(client, args), options),
  }),
  operatorCommand<Omit<NewSharedUserOptions, 'name'> & { user: string }>({
    usage: 'organizations add-shared-user <organization>',
    byProfile: true,
    summary: 'the same as shared-users create',
    options: [
      { flags: '--user <name>', text: 'name, unique within the organization', required: true, member: 'name' },
      ...NEW_OPTIONS.slice(1),
    ],
    details: NEW_DETAILS,
    advice: passwordAdvice,
    examples: ['organizations add-shared-user Acme --user Grace --email grace@example.com'],
    run: (client, { args: [organization = ''], options: { user: name, ...rest } }) =>
      create(client, organization, { name, ...rest }),
  }),
];
