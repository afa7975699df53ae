// The entry point: passes the arguments and the environment to the command line and sets the exit code.

import { runCommand } from './cli/commands.ts';

process.exitCode = await runCommand(process.argv.slice(2), process.env);
