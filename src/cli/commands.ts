// Builds the program from the table of commands (commands/table) and runs it.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../settings/settings.ts';
import type { CommandRow, OptionRow } from './commands/row.ts';
import { COMMAND_SUBJECTS, COMMANDS } from './commands/table.ts';
import { CommandFailure } from './failure.ts';
import type { AddressOptions } from './operator-address.ts';
import { connectOperator } from './operator-client.ts';
import { programName } from './program-name.ts';
import { Refusal } from './refusals.ts';
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
  const name = programName();
  const root = new Command(name)
    .description('A self-hosted records service.')
    .version(VERSION)
    .addHelpText('after', `\n${name} help <command>, or --help after a command, shows its options and an example.`)
    .exitOverride();
  for (const row of COMMANDS) addCommand(root, row, environment);
  return root;
}

/** Options of every command that connects to a server. */
const CONNECTION_OPTIONS: readonly OptionRow[] = [
  {
    flags: '--url <address>',
    text: 'address of the server; by default from CARTULARY_HOST and CARTULARY_PORT, or from the data folder',
  },
  {
    flags: '--insecure',
    text: 'send the operator key over plain HTTP to other machines, and through proxies',
  },
];

const NAMES_HELP = `An application, user, organization, collection or token is named by its identifier or its name, a user also by the
e-mail address. Put names with spaces into quotes.`;

function addCommand(root: Command, row: CommandRow, environment: NodeJS.ProcessEnv): void {
  const words = row.usage.split(' ');
  const subject = words[1]?.match(/^\w/) ? words[0] : undefined;
  const parent = subject === undefined ? root : subjectIn(root, subject);
  const command = parent.command(subject === undefined ? row.usage : words.slice(1).join(' ')).description(row.summary);
  const own = row.options ?? [];
  for (const option of row.runs === 'here' ? own : [...own, ...CONNECTION_OPTIONS]) addOption(command, option);
  const { advice } = row;
  if (advice !== undefined) command.configureOutput({ outputError: (text, write) => write(withAdvice(text, advice)) });
  command.addHelpText('after', helpAfter(row)).action(async (...given: unknown[]) => {
    refuseMissing(command, own);
    const options = given.at(-2) as AddressOptions;
    const args = given.slice(0, -2).filter((arg): arg is string => typeof arg === 'string');
    const call = { args, options, environment };
    if (row.runs === 'here') await row.run(call);
    else await withOptionNames(own, row.run(await connectOperator(environment, options), call));
  });
}

function subjectIn(root: Command, subject: string): Command {
  const present = root.commands.find((command) => command.name() === subject);
  return present ?? root.command(subject).description(COMMAND_SUBJECTS[subject] ?? '');
}

function helpAfter({ usage, details, examples }: CommandRow): string {
  const name = programName();
  const lines = examples.map((example) => `  ${name} ${example}`);
  const names = /<application>|<organization>/.test(usage) ? [NAMES_HELP] : [];
  const parts = [...(details === undefined ? [] : [details]), ...names];
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return `\n${[...parts, `${title}:\n${lines.join('\n')}`].join('\n\n')}`;
}

/** `text`: what the parser writes about wrong arguments. */
function withAdvice(text: string, advice: NonNullable<CommandRow['advice']>): string {
  const flag = /unknown option '(-[^'=]*)/.exec(text)?.[1];
  const told = flag === undefined ? undefined : advice(flag);
  return told === undefined ? text : `${text}${told}\n`;
}

/** Not left to the parser, which would report `--nme X` as a missing `--name` before it looks at unknown options. */
function refuseMissing(command: Command, options: readonly OptionRow[]): void {
  for (const { flags, required } of options) {
    if (required && command.getOptionValue(new Option(flags).attributeName()) === undefined) {
      command.error(`error: required option '${flags}' not specified`);
    }
  }
}

function addOption(command: Command, { flags, text, repeated, default: value, read }: OptionRow): void {
  const readAll = (given: string, earlier: unknown) => {
    const one = readOption(given, read);
    return repeated ? [...((earlier as string[] | undefined) ?? []), one] : one;
  };
  if (flags.includes('<')) command.option(flags, text, readAll, value as string | undefined);
  else command.option(flags, text, value);
}

function readOption(given: string, read: OptionRow['read']): string {
  try {
    return read === undefined ? given : read(given);
  } catch (error) {
    throw error instanceof CommandFailure ? new InvalidArgumentError(error.message) : error;
  }
}

/** A refusal names members of the request; its reader knows the options that set them. */
async function withOptionNames(options: readonly OptionRow[], work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw error.withOptions((member) => optionOf(options, member) ?? member);
  }
}

function optionOf(options: readonly OptionRow[], member: string): string | undefined {
  const own = `--${member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  for (const { flags, member: set } of options) {
    const [flag = ''] = flags.split(' ');
    if (set === member || (set === undefined && flag.replace(/^--no-/, '--') === own)) return flag;
  }
  return undefined;
}
