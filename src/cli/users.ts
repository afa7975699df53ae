// `cartulary users create`. By default the user is an admin with all access except to the organization, because the
// command is meant for the first user of an application.

import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';

export interface UserOptions {
  readonly name: string;
  readonly email?: string;
  readonly passwordStdin?: true;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess?: true;
  readonly profile: string;
  readonly team?: string;
  readonly teamLeader?: true;
}

export function readUserOptions(command: Command): Command {
  return command
    .description('create a user, or activate a shared user where the application has them')
    .requiredOption('--name <name>', 'name, unique within the application')
    .option('--email <address>', 'e-mail address (not for shared users)')
    .option('--password-stdin', 'read the password from standard input (not for shared users)')
    .option('--no-admin', 'not an admin')
    .option('--no-api-access', 'may not use the interface')
    .option('--no-management-api-access', 'may not manage users')
    .option('--organization-management-api-access', 'may manage shared users')
    .option('--profile <name>', 'profile', 'Standard')
    .option('--team <name>', 'team, where the application has teams')
    .option('--team-leader', 'leads the team');
}

export async function createUser(
  client: OperatorClient,
  applicationId: string,
  options: UserOptions,
): Promise<unknown> {
  const { name, email, admin, apiAccess, profile, team } = options;
  const password = options.passwordStdin ? await readPassword() : undefined;
  return client.send('POST', `/applications/${applicationId}/users`, {
    name,
    ...(email === undefined ? {} : { email }),
    ...(password === undefined ? {} : { password }),
    admin,
    apiAccess,
    managementApiAccess: options.managementApiAccess && apiAccess,
    organizationManagementApiAccess: options.organizationManagementApiAccess ?? false,
    profile: { name: profile },
    ...(team === undefined ? {} : { team: { name: team }, teamLeader: options.teamLeader ?? false }),
  });
}

export interface SharedUserOptions {
  readonly user: string;
  readonly email: string;
  readonly passwordStdin?: true;
  readonly url?: string;
}

export async function createSharedUser(
  client: OperatorClient,
  path: string,
  options: SharedUserOptions,
): Promise<unknown> {
  const { user: name, email } = options;
  const password = options.passwordStdin ? await readPassword() : undefined;
  return client.send('POST', `${path}/sharedUsers`, { name, email, ...(password === undefined ? {} : { password }) });
}

async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new CommandFailure('Standard input was empty; it should hold the password.');
  return password;
}
