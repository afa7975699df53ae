// `cartulary tokens`: the API tokens of an application's users.

import type { CreatedToken, OwnedTokenView, TokenView } from '../../wire/tokens.ts';
import type { OperatorClient } from '../operator-client.ts';
import { printTable } from './columns.ts';
import { findApplicationId, findTokenId, findUser, usersPath } from './names.ts';
import { type ListOptions, personTitle, printList, TOP_OPTION } from './people.ts';
import { type CommandRow, JSON_OPTION, operatorCommand, printJson } from './row.ts';

interface NewTokenOptions {
  readonly name: string;
  readonly expiresAt?: string;
  readonly tokenOnly?: true;
}

async function owner(client: OperatorClient, [application = '', given = '']: readonly string[]) {
  const applicationId = await findApplicationId(client, application);
  const user = await findUser(client, applicationId, given);
  return { user, applicationId, userId: user.id, path: `${usersPath(applicationId)}/${user.id}/tokens` };
}

async function create(client: OperatorClient, args: readonly string[], options: NewTokenOptions): Promise<void> {
  const { user, path } = await owner(client, args);
  const { name, expiresAt } = options;
  const body = { name, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const token = (await client.send('POST', path, body)) as CreatedToken;
  if (options.tokenOnly) console.log(token.token);
  else printJson(token);
  console.error(`Created a token of ${personTitle(user)}. Keep it: it is shown only this once.`);
}

const HEADINGS = ['Token', 'ID', 'User', 'Created', 'Expires', 'Last used'];

const cells = ({ name, id, createdAt, expiresAt, lastUsedAt }: TokenView, user: { name: string; id: string }) => [
  name,
  id,
  personTitle(user),
  createdAt,
  expiresAt ?? 'never',
  lastUsedAt ?? 'never',
];

async function list(client: OperatorClient, [application = '', given]: readonly string[], options: ListOptions) {
  if (given === undefined) {
    const path = `/applications/${await findApplicationId(client, application)}/tokens`;
    const row = (token: OwnedTokenView) => cells(token, token.user);
    await printList(client, { path, headings: HEADINGS, row, none: 'There are no tokens.' }, options);
    return;
  }
  const { user, path } = await owner(client, [application, given]);
  const tokens = (await client.send('GET', path)) as TokenView[];
  if (options.json) printJson(tokens);
  else if (tokens.length === 0) console.log(`${personTitle(user)} has no tokens.`);
  else printTable([HEADINGS, ...tokens.map((token) => cells(token, user))]);
}

export const TOKEN_COMMANDS: readonly CommandRow[] = [
  operatorCommand<NewTokenOptions>({
    usage: 'tokens create <application> <user>',
    byProfile: true,
    summary: 'create a token; its secret is shown only once',
    options: [
      { flags: '--name <name>', text: 'what the token is for', required: true },
      { flags: '--expires-at <time>', text: 'when it expires, such as 2031-05-01T00:00:00Z; by default never' },
      { flags: '--token-only', text: 'print the text that follows "Authorization: Bearer", and no JSON' },
    ],
    examples: [
      "tokens create 'Field inspections' Ada --name 'nightly import'",
      "tokens create 'Field inspections' ada@example.com --name reports --token-only",
    ],
    run: (client, { args, options }) => create(client, args, options),
  }),
  operatorCommand<ListOptions>({
    usage: 'tokens list <application> [user]',
    byProfile: true,
    summary: 'list the tokens of a user, or of all users, without their secrets',
    options: [TOP_OPTION, JSON_OPTION],
    examples: ["tokens list 'Field inspections'", "tokens list 'Field inspections' Ada"],
    run: (client, { args, options }) => list(client, args, options),
  }),
  operatorCommand({
    usage: 'tokens revoke <application> <user> <token>',
    byProfile: true,
    summary: 'revoke a token, named by its ID or its name',
    examples: ["tokens revoke 'Field inspections' Ada 'nightly import'"],
    run: async (client, { args }) => {
      const found = await owner(client, args);
      const tokenId = await findTokenId(client, found, args[2] ?? '');
      await client.send('DELETE', `${found.path}/${tokenId}`);
      console.log('Revoked.');
    },
  }),
];
