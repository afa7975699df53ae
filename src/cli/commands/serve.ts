// The row of `cartulary serve`. The server itself is in cli/serve.

import { readConfig, SETTINGS } from '../../settings/settings.ts';
import { CommandFailure } from '../failure.ts';
import { restartWithYoungGeneration } from '../runtime.ts';
import { type CommandRow, localCommand } from './row.ts';

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
function settingAdvice(flag: string): string {
  const name = flag.replace(/^--/, '').replaceAll('-', '_').toUpperCase();
  const setting = [`CARTULARY_${name}`, name].find((known) => known in SETTINGS);
  const help = 'Settings are environment variables; `serve --help` lists them.';
  return setting === undefined ? help : `Set ${setting} instead, as in \`${setting}=… npm start\`. ${help}`;
}

export const SERVE_COMMANDS: readonly CommandRow[] = [
  localCommand<{ demo: boolean; workers?: string }>({
    usage: 'serve',
    outlivesOutput: true,
    summary: 'start the server',
    options: [
      { flags: '--demo', text: 'publish a demonstration application when the database is new', default: false },
      {
        flags: '--workers <number>',
        text: 'number of processes that serve requests; by default from CARTULARY_WORKERS',
        read: readWorkers,
      },
    ],
    details: settingsHelp(),
    advice: settingAdvice,
    examples: ['serve', 'serve --workers 4'],
    run: async ({ options: { workers, ...options }, environment }) => {
      const config = readConfig(workers === undefined ? environment : { ...environment, CARTULARY_WORKERS: workers });
      restartWithYoungGeneration();
      // Imported here because loading the server takes a second, which the other commands do not need.
      const { serve } = await import('../serve.ts');
      // The variable silences Node's own warnings, and ours about Node with them.
      await serve(config, { ...options, advise: environment.NODE_NO_WARNINGS !== '1' });
    },
  }),
];
