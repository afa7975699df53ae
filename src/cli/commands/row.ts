// The form of the command table: one row has the words, arguments, options and help of a command, and what it does. The
// program (commands.ts) is built from the rows.

import type { OperatorClient } from '../operator-client.ts';
import type { UserSession } from '../user-session.ts';

export interface OptionRow {
  /** As commander reads it: `--name <name>`, `--no-admin`. */
  readonly flags: string;
  readonly text: string;
  readonly required?: true;
  /** Of an option that may be repeated: the values as an array. */
  readonly repeated?: true;
  readonly default?: string | false;
  readonly read?: (value: string) => string;
  /** The member of the request that the option sets, if that is not its own name: messages then name the option. */
  readonly member?: string;
}

export interface Call<Options> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly environment: NodeJS.ProcessEnv;
}

interface Row {
  /** The words of the command, and its arguments: `users show <application> <user>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly OptionRow[];
  /** After the options: what a reader has to know to use the command without other pages. */
  readonly details?: string;
  /** What to do instead of an option that the command does not have, such as `--port`. */
  readonly advice?: (flag: string) => string | undefined;
  /** Without the name of the program. */
  readonly examples: readonly string[];
}

export interface LocalRow extends Row {
  readonly runs: 'here';
  /** A server goes on when nobody reads its output any more. */
  readonly outlivesOutput?: true;
  readonly run: (call: Call<unknown>) => Promise<void>;
}

/** Sends requests to a server with the operator key, and has the options that name it. */
export interface OperatorRow extends Row {
  readonly runs: 'at a server';
  /** Whether a login profile of a user with management access does as well. */
  readonly byProfile?: true;
  readonly run: (client: OperatorClient, call: Call<unknown>) => Promise<void>;
}

/** Sends requests as the user of a login profile or a token. */
export interface UserRow extends Row {
  readonly runs: 'as a user';
  readonly run: (session: UserSession, call: Call<unknown>) => Promise<void>;
}

export type CommandRow = LocalRow | OperatorRow | UserRow;

// The type of the options matters only inside a row.

export const localCommand = <Options>(
  row: Omit<LocalRow, 'runs' | 'run'> & { readonly run: (call: Call<Options>) => Promise<void> },
): CommandRow => ({ runs: 'here', ...row }) as CommandRow;

export const operatorCommand = <Options>(
  row: Omit<OperatorRow, 'runs' | 'run'> & {
    readonly run: (client: OperatorClient, call: Call<Options>) => Promise<void>;
  },
): CommandRow => ({ runs: 'at a server', ...row }) as CommandRow;

export const userCommand = <Options>(
  row: Omit<UserRow, 'runs' | 'run'> & {
    readonly run: (session: UserSession, call: Call<Options>) => Promise<void>;
  },
): CommandRow => ({ runs: 'as a user', ...row }) as CommandRow;

export interface Printing {
  readonly json?: true;
}

export const JSON_OPTION: OptionRow = { flags: '--json', text: 'print the JSON of the reply, for programs' };

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));
