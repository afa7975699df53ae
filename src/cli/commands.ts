// The table of commands. The work of each command is in the file named after it.

import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ConfigError, readConfig, SETTINGS } from '../settings/settings.ts';
import type { DoctorOptions } from '../wire/doctor.ts';
import { OVERVIEW_DEFAULT } from '../wire/quotas.ts';
import { doctor } from './doctor.ts';
import { CommandFailure } from './failure.ts';
import { readJsonFile } from './json-file.ts';
import type { AddressOptions } from './operator-address.ts';
import { connectOperator, type OperatorClient } from './operator-client.ts';
import { publishFromFile } from './publish.ts';
import { listQuotas, type QuotaOptions, readQuotaOptions, setQuotas, showQuotas } from './quotas.ts';
import { restartWithYoungGeneration } from './runtime.ts';
import { createSharedUser, createUser, readUserOptions, type SharedUserOptions } from './users.ts';
import { VERSION } from './version.ts';

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
  const root = new Command('cartulary').description('A self-hosted records service.').version(VERSION).exitOverride();
  root
    .command('serve')
    .description('start the server')
    .option('--demo', 'publish a demonstration application when the database is new', false)
    .option(
      '--workers <number>',
      'number of processes that serve requests; by default from CARTULARY_WORKERS',
      readWorkers,
    )
    .addHelpText('after', settingsHelp())
    .action(async ({ workers, ...options }: { demo: boolean; workers?: string }) => {
      const config = readConfig(workers === undefined ? environment : { ...environment, CARTULARY_WORKERS: workers });
      restartWithYoungGeneration();
      // Imported here because loading the server takes a second, which the other commands do not need.
      const { serve } = await import('./serve.ts');
      // The variable silences Node's own warnings, and ours about Node with them.
      await serve(config, { ...options, advise: environment.NODE_NO_WARNINGS !== '1' });
    });
  addOperatorCommands(root, environment);
  return root;
}

/** The message is about the option, not about the setting that it overrides. */
function readWorkers(value: string): string {
  try {
    SETTINGS.CARTULARY_WORKERS.parse(value);
    return value;
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}

function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  const lines = Object.entries(SETTINGS).map(([name, { default: value, sentence }]) => {
    return `  ${name.padEnd(width)}  ${sentence}${value === undefined ? '' : ` Default: ${value}`}`;
  });
  return `\nSettings (environment):\n${lines.join('\n')}\n`;
}

const JSON_OPTION = ['--json', 'print JSON instead of a table'] as const;
const URL_OPTION = [
  '--url <address>',
  'address of the server; by default from CARTULARY_HOST and CARTULARY_PORT, or from the data folder',
] as const;

const INSECURE_OPTION = [
  '--insecure',
  'send the operator key over plain HTTP to other machines, and through proxies',
] as const;

type Connect = (options: AddressOptions) => Promise<OperatorClient>;

function addOperatorCommands(root: Command, environment: NodeJS.ProcessEnv): void {
  const client: Connect = (options) => connectOperator(environment, options);
  addPublish(root, client);
  addDoctor(root, client);
  addApplications(root, client);
  addQuotas(root, client);
  addUsers(root, client);
  addTokens(root, client);
  addOrganizations(root, client);
  addInsecureOption(root);
}

function addPublish(root: Command, client: Connect): void {
  root
    .command('publish <file>')
    .description('publish an application from a publish document; - reads standard input')
    .option('--dry-run', 'show what would change, and change nothing', false)
    .option('--allow-data-loss', 'publish even if collections or columns are removed or change their type', false)
    .option(...URL_OPTION)
    .action(async (file: string, options: { dryRun: boolean; allowDataLoss: boolean; url?: string }) => {
      await publishFromFile(await client(options), file, options);
    });
}

function addDoctor(root: Command, client: Connect): void {
  root
    .command('doctor')
    .description('compare attachments with their files; exits with 1 if it finds problems')
    .option('--mend', 'repair the problems', false)
    .option('--hashes', 'read every file and compare its hash; slow', false)
    .option('--force', 'repair even if more than half of all files or attachments have problems', false)
    .option(...URL_OPTION)
    .action(async (options: DoctorOptions & { url?: string }) => {
      await doctor(await client(options), options);
    });
}

function addApplications(root: Command, client: Connect): void {
  const applications = root.command('applications').description('published applications');
  applications
    .command('list')
    .description('list all applications')
    .option(...URL_OPTION)
    .action(async (options) => print(await (await client(options)).send('GET', '/applications')));
  applications
    .command('show <applicationId>')
    .description('print the current publish document')
    .option(...URL_OPTION)
    .action(async (id: string, options) => print(await (await client(options)).send('GET', `/applications/${id}`)));

  applications
    .command('remove <applicationId>')
    .description('remove an application and all its data')
    .requiredOption('--yes', 'confirm that all its data is removed')
    .option(...URL_OPTION)
    .action(async (id: string, options) => {
      await (await client(options)).send('DELETE', `/applications/${id}`);
      console.log('Removed.');
    });
}

function addQuotas(root: Command, client: Connect): void {
  const quotas = root.command('quotas').description('limits on the requests of an application per hour');
  quotas
    .command('show <applicationId>')
    .description('show the limits and their use in this hour')
    .option(...JSON_OPTION)
    .option(...URL_OPTION)
    .action(async (id: string, options) => console.log(await showQuotas(await client(options), id, options)));
  quotas
    .command('list')
    .description('list the limits of all applications, the most used first')
    .option('--top <number>', `number of limits to list, by default ${OVERVIEW_DEFAULT}`)
    .option(...JSON_OPTION)
    .option(...URL_OPTION)
    .action(async (options) => console.log(await listQuotas(await client(options), options)));
  readQuotaOptions(quotas.command('set <applicationId>'))
    .option(...JSON_OPTION)
    .option(...URL_OPTION)
    .action(async (id: string, options: QuotaOptions & { url?: string }) => {
      console.log(await setQuotas(await client(options), id, options));
    });
}

function addUsers(root: Command, client: Connect): void {
  const users = root.command('users').description('users of an application');
  readUserOptions(users.command('create <applicationId>'))
    .option(...URL_OPTION)
    .action(async (id: string, options) => print(await createUser(await client(options), id, options)));
}

function addTokens(root: Command, client: Connect): void {
  const tokens = root.command('tokens').description('API tokens of a user');
  tokens
    .command('create <applicationId> <userId>')
    .description('create a token; its secret is shown only once')
    .requiredOption('--name <name>', 'what the token is for')
    .option('--expires-at <time>', 'when it expires, such as 2031-05-01T00:00:00Z; by default never')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, options: { name: string; expiresAt?: string; url?: string }) => {
      const { name, expiresAt } = options;
      const body = { name, ...(expiresAt === undefined ? {} : { expiresAt }) };
      print(await (await client(options)).send('POST', `/applications/${id}/users/${userId}/tokens`, body));
    });
  tokens
    .command('list <applicationId> <userId>')
    .description('list the tokens, without their secrets')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, options) => {
      print(await (await client(options)).send('GET', `/applications/${id}/users/${userId}/tokens`));
    });
  tokens
    .command('revoke <applicationId> <userId> <tokenId>')
    .description('revoke a token')
    .option(...URL_OPTION)
    .action(async (id: string, userId: string, tokenId: string, options) => {
      await (await client(options)).send('DELETE', `/applications/${id}/users/${userId}/tokens/${tokenId}`);
      console.log('Revoked.');
    });
}

function addOrganizations(root: Command, client: Connect): void {
  const organizations = root
    .command('organizations')
    .description('organizations, their single sign-on and shared users');
  organizations
    .command('show <name>')
    .description('show an organization')
    .option(...URL_OPTION)
    .action(async (name: string, options) => print(await (await client(options)).send('GET', organizationPath(name))));
  organizations
    .command('put <name> <file>')
    .description('create an organization or set its single sign-on from a JSON file; - reads standard input')
    .option(...URL_OPTION)
    .action(async (name: string, file: string, options) => {
      print(await (await client(options)).send('PUT', organizationPath(name), await readJsonFile(file)));
    });
  organizations
    .command('add-shared-user <name>')
    .description('create a shared user of the organization')
    .requiredOption('--user <name>', 'name, unique within the organization')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password-stdin', 'read the password from standard input (not with single sign-on)')
    .option(...URL_OPTION)
    .action(async (name: string, options: SharedUserOptions) => {
      print(await createSharedUser(await client(options), organizationPath(name), options));
    });
}

/** Every command with `--url` has `--insecure` too. */
function addInsecureOption(command: Command): void {
  if (command.options.some(({ long }) => long === '--url')) command.option(...INSECURE_OPTION);
  for (const below of command.commands) addInsecureOption(below);
}

const organizationPath = (name: string): string => `/organizations/${encodeURIComponent(name)}`;

const print = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));
