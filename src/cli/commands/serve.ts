// The rows of `cartulary serve` and `cartulary start`. The server itself is in cli/serve.

import { boundHeapGrowth } from '../../load/heap-growth.ts';
import { readConfig, SETTINGS } from '../../settings/settings.ts';
import { CommandFailure } from '../failure.ts';
import { programName } from '../program-name.ts';
import { restartWithHeapFlags } from '../runtime.ts';
import { type CommandRow, localCommand, type OptionRow } from './row.ts';

/** The message is about the option, not about the setting that it overrides. */
function readWorkers(value: string): string {
  try {
    SETTINGS.CARTULARY_WORKERS.parse(value);
    return value;
  } catch (error) {
    throw new CommandFailure(`--workers ${(error as Error).message}.`);
  }
}

function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  const lines = Object.entries(SETTINGS).map(([name, { default: value, sentence }]) => {
    return `  ${name.padEnd(width)}  ${sentence}${value === undefined ? '' : ` Default: ${value}`}`;
  });
  return `Settings (environment):\n${lines.join('\n')}`;
}

/** Options that other servers have are settings here. */
const settingAdvice = (command: string) => (flag: string) => {
  const name = flag.replace(/^--/, '').replaceAll('-', '_').toUpperCase();
  const setting = [`CARTULARY_${name}`, name].find((known) => known in SETTINGS);
  const help = 'Settings are environment variables; `serve --help` lists them.';
  return setting === undefined ? help : `Set ${setting} instead, as in \`${setting}=… ${command}\`. ${help}`;
};

interface ServeOptions {
  readonly demo: boolean;
  readonly workers?: string;
  /** The command that starts this server again. */
  readonly again: string;
}

async function run({ demo, workers, again }: ServeOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(workers === undefined ? environment : { ...environment, CARTULARY_WORKERS: workers });
  restartWithHeapFlags();
  boundHeapGrowth();
  // Imported here because loading the server takes a second, which the other commands do not need.
  const { serve } = await import('../serve.ts');
  // The variable silences Node's own warnings, and ours about Node with them.
  await serve(config, { demo, again, advise: environment.NODE_NO_WARNINGS !== '1' });
}

const WORKERS: OptionRow = {
  flags: '--workers <number>',
  text: 'number of processes that serve requests; by default from CARTULARY_WORKERS',
  read: readWorkers,
};
const DEMO: OptionRow = {
  flags: '--demo',
  text: 'publish a demonstration application when the database is new',
  default: false,
};

export const SERVE_COMMANDS: readonly CommandRow[] = [
  localCommand<{ demo: boolean; workers?: string }>({
    usage: 'serve',
    outlivesOutput: true,
    summary: 'start the server',
    options: [DEMO, WORKERS],
    details: settingsHelp(),
    advice: settingAdvice('npm start'),
    examples: ['serve', 'serve --workers 4'],
    run: ({ options, environment }) => run({ ...options, again: 'npm start' }, environment),
  }),
  localCommand<{ workers?: string }>({
    usage: 'start',
    outlivesOutput: true,
    summary: 'start the server, with a demonstration application when the database is new',
    options: [WORKERS],
    details: 'The same as `serve --demo`. The data is in `data` in the current folder; settings are those of `serve`.',
    advice: (flag) => settingAdvice(`${programName()} start`)(flag),
    examples: ['start'],
    run: ({ options, environment }) => run({ ...options, demo: true, again: `${programName()} start` }, environment),
  }),
];
