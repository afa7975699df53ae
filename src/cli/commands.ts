// Builds the program from the table of commands (commands/table) and runs it.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MovingFailure } from '../moving/failure.ts';
import { ConfigError } from '../settings/settings.ts';
import { connectionOptions } from './commands/connection-options.ts';
import type { Call, CommandRow, OptionRow } from './commands/row.ts';
import { COMMAND_SUBJECTS, COMMANDS } from './commands/table.ts';
import { CommandFailure, EXIT_CODES, type Exit } from './failure.ts';
import type { UserOptions } from './logins.ts';
import { connectOperator } from './operator-client.ts';
import { watchOutput } from './output.ts';
import { connectManager } from './profile-manager.ts';
import { programName } from './program-name.ts';
import { Refusal } from './refusals.ts';
import { connectUser, userFailure } from './user-session.ts';
import { BUILD, VERSION } from './version.ts';

export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  if (!outlivesOutput(args)) watchOutput();
  try {
    await program(environment).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    if (error instanceof MovingFailure) return said(error, 'failed');
    if (error instanceof ConfigError) return said(error, 'usage');
    if (error instanceof CommandFailure) return said(error, error.exit);
    throw error;
  }
}

function said({ message }: Error, exit: Exit): number {
  console.error(message);
  return EXIT_CODES[exit];
}

/** Before anything is read: the help is output too. */
const outlivesOutput = ([name]: readonly string[]): boolean =>
  COMMANDS.some((row) => row.runs === 'here' && row.outlivesOutput === true && row.usage.split(' ')[0] === name);

function program(environment: NodeJS.ProcessEnv): Command {
  const name = programName();
  const root = new Command(name)
    .description('A self-hosted records service.')
    .version(`${VERSION} (build ${BUILD})`)
    .addHelpText('after', `\n${name} help <command>, or --help after a command, shows its options and an example.`)
    .exitOverride();
  for (const row of COMMANDS) addCommand(root, row, environment);
  return root;
}

const NAMES_HELP = `An application, user, organization, collection or token is named by its identifier or its name, a user also by the
e-mail address. Put names with spaces into quotes.`;

function addCommand(root: Command, row: CommandRow, environment: NodeJS.ProcessEnv): void {
  const words = row.usage.split(' ');
  const subject = words[1]?.match(/^\w/) ? words[0] : undefined;
  const parent = subject === undefined ? root : subjectIn(root, subject);
  const command = parent.command(subject === undefined ? row.usage : words.slice(1).join(' ')).description(row.summary);
  const own = row.options ?? [];
  for (const option of [...own, ...connectionOptions(row)]) addOption(command, option);
  const { advice } = row;
  if (advice !== undefined) command.configureOutput({ outputError: (text, write) => write(withAdvice(text, advice)) });
  command.addHelpText('after', helpAfter(row)).action(async (...given: unknown[]) => {
    refuseMissing(command, own);
    const options = given.at(-2) as UserOptions;
    const args = given.slice(0, -2).flatMap((arg) => (arg === undefined ? [] : (arg as string | string[])));
    await withOptionNames(own, runRow(row, { args, options, environment }));
  });
}

async function runRow(row: CommandRow, call: Call<UserOptions>): Promise<void> {
  const { environment, options } = call;
  if (row.runs === 'here') await row.run(call);
  else if (row.runs === 'as a user') {
    const session = await connectUser(environment, options);
    await row.run(session, call).catch((error: unknown) => {
      throw userFailure(error, session.login);
    });
  } else {
    const connect = row.byProfile ? connectManager : connectOperator;
    await row.run(await connect(environment, options), call);
  }
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
