// The table of commands. Each row is what a person types; what it does is in the file named after it.

import { readFile } from 'node:fs/promises';
import { Command, CommanderError } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { CommandFailure } from './failure.ts';
import { connectOperator } from './operator-client.ts';
import { publish } from './publish.ts';
import { serve, settingsHelp } from './serve.ts';
import { createUser, readUserOptions } from './users.ts';

export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    await program(environment).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CommandFailure) && !(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 1;
  }
}

function program(environment: NodeJS.ProcessEnv): Command {
  const root = new Command('cartulary').description('A self-hosted records service.').exitOverride();
  root
    .command('serve')
    .description('start the server')
    .option('--demo', 'publish a demonstration application when the database is new', false)
    .addHelpText('after', settingsHelp())
    .action((options: { demo: boolean }) => serve(readConfig(environment), options));
  addOperatorCommands(root, environment);
  return root;
}

const URL_OPTION = [
  '--url <address>',
  'address of the server; by default from CARTULARY_HOST and CARTULARY_PORT',
] as const;

function addOperatorCommands(root: Command, environment: NodeJS.ProcessEnv): void {
  const client = (options: { url?: string }) => connectOperator(environment, options);
  root
    .command('publish <file>')
    .description('publish an application from a publish document; - reads standard input')
    .option('--dry-run', 'tell what would change and do nothing', false)
    .option('--allow-data-loss', 'publish also when collections or columns go or change their type', false)
    .option(...URL_OPTION)
    .action(async (file: string, options: { dryRun: boolean; allowDataLoss: boolean; url?: string }) => {
      await publish(await client(options), file, options);
    });

  const applications = root.command('applications').description('published applications');
  applications
    .command('list')
    .description('list them')
    .option(...URL_OPTION)
    .action(async (options) => console.table(await (await client(options)).send('GET', '/applications')));
  applications
    .command('show <applicationId>')
    .description('print the publish document as it stands')
    .option(...URL_OPTION)
    .action(async (id: string, options) => print(await (await client(options)).send('GET', `/applications/${id}`)));

  const users = root.command('users').description('users of an application');
  readUserOptions(users.command('create <applicationId>'))
    .option(...URL_OPTION)
    .action(async (id: string, options) => print(await createUser(await client(options), id, options)));

  const tokens = root.command('tokens').description('API tokens of a user');
  tokens
    .command('create <applicationId> <userId>')
    .description('create a token; its secret is shown this once')
    .requiredOption('--name <name>', 'what the token is for')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, options: { name: string; url?: string }) => {
      print(
        await (await client(options)).send('POST', `/applications/${id}/users/${userId}/tokens`, {
          name: options.name,
        }),
      );
    });
  tokens
    .command('list <applicationId> <userId>')
    .description('list them, without secrets')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, options) => {
      console.table(await (await client(options)).send('GET', `/applications/${id}/users/${userId}/tokens`));
    });
  tokens
    .command('revoke <applicationId> <userId> <tokenId>')
    .description('revoke one')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, tokenId: string, options) => {
      await (await client(options)).send('DELETE', `/applications/${id}/users/${userId}/tokens/${tokenId}`);
      console.log('Revoked.');
    });

  const organizations = root
    .command('organizations')
    .description('organizations, their single sign-on and shared users');
  organizations
    .command('show <name>')
    .description('show one')
    .option(...URL_OPTION)
    .action(async (name: string, options) => print(await (await client(options)).send('GET', organizationPath(name))));
  organizations
    .command('put <name> <file>')
    .description('create one or set its single sign-on from a JSON file')
    .option(...URL_OPTION)
    .action(async (name: string, file: string, options) => {
      const body: unknown = JSON.parse(await readFile(file, 'utf8'));
      print(await (await client(options)).send('PUT', organizationPath(name), body));
    });
}

const organizationPath = (name: string): string => `/organizations/${encodeURIComponent(name)}`;

const print = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));
