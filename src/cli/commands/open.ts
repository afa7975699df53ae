// `cartulary open`: the console of the application in a browser.

import { spawn } from 'node:child_process';
import { type CommandRow, userCommand } from './row.ts';

/** The program that opens an address; undefined where there is no screen. */
function opener(environment: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

function openInBrowser([program = '', ...args]: readonly string[], address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

export const OPEN_COMMANDS: readonly CommandRow[] = [
  userCommand<{ printOnly?: true }>({
    usage: 'open',
    summary: 'open the application in a browser, or print its address where there is none',
    options: [{ flags: '--print-only', text: 'print the address and open nothing' }],
    examples: ['open', 'open --print-only'],
    run: async ({ login: { address, applicationId } }, { options, environment }) => {
      const page = `${address}/console/${applicationId}`;
      console.log(page);
      const program = options.printOnly || !process.stdout.isTTY ? undefined : opener(environment);
      if (program !== undefined && !(await openInBrowser(program, page))) {
        console.error('No browser could be started; open the address yourself.');
      }
    },
  }),
];
