// The options by which commands find their server and their credentials.

import type { CommandRow, OptionRow } from './row.ts';

/** Options of commands that use the operator key. */
export const OPERATOR_OPTIONS: readonly OptionRow[] = [
  {
    flags: '--url <address>',
    text: 'address of the server; by default from CARTULARY_HOST and CARTULARY_PORT, or from the data folder',
  },
  {
    flags: '--insecure',
    text: 'send the operator key over plain HTTP to other machines, and through proxies',
  },
];

const PROFILE_OPTION: OptionRow = {
  flags: '--profile <name>',
  text: 'login profile; by default from CARTULARY_PROFILE, or the current one',
};

/** Not `--profile`, which `users create` has for the profile of the user. */
const LOGIN_OPTION: OptionRow = {
  flags: '--login <profile>',
  text: 'use this login profile instead of the operator key; without a key, the current one is used',
};

/** Options of commands that a user runs after `login`. */
const USER_OPTIONS: readonly OptionRow[] = [
  PROFILE_OPTION,
  {
    flags: '--application <application>',
    text: 'use the login profile of this application; with CARTULARY_TOKEN, its ID',
  },
  {
    flags: '--url <address>',
    text: 'with CARTULARY_TOKEN: address of the server, or of the application in the console',
  },
  { flags: '--insecure', text: 'send the token over plain HTTP to other machines' },
];

export function connectionOptions(row: CommandRow): readonly OptionRow[] {
  if (row.runs === 'here') return [];
  if (row.runs === 'as a user') return USER_OPTIONS;
  return row.byProfile ? [LOGIN_OPTION, ...OPERATOR_OPTIONS] : OPERATOR_OPTIONS;
}
