// `cartulary operators`: users who may use the operator's console with their own sessions.

import type { OperatorView } from '../../wire/operator.ts';
import type { OperatorClient } from '../operator-client.ts';
import { findApplicationId, findUser, usersPath } from './names.ts';
import { type ListOptions, personTitle, printList, TOP_OPTION } from './people.ts';
import { type CommandRow, JSON_OPTION, operatorCommand } from './row.ts';

async function send(client: OperatorClient, method: 'PUT' | 'DELETE', args: readonly string[]): Promise<string> {
  const [application = '', given = ''] = args;
  const applicationId = await findApplicationId(client, application);
  const user = await findUser(client, applicationId, given);
  await client.send(method, `${usersPath(applicationId)}/${user.id}/operator`);
  return personTitle(user);
}

export const OPERATOR_COMMANDS: readonly CommandRow[] = [
  operatorCommand<ListOptions>({
    usage: 'operators list',
    summary: 'list the users who are named as operators',
    options: [TOP_OPTION, JSON_OPTION],
    examples: ['operators list'],
    run: (client, { options }) =>
      printList(
        client,
        {
          path: '/operators',
          headings: ['Name', 'ID', 'E-mail', 'Application', 'Since', 'State'],
          row: ({ user, application, namedAt }: OperatorView) => [
            ...[user.name, user.id, user.email, application.name, namedAt.slice(0, 10)],
            user.disabled ? 'disabled' : 'enabled',
          ],
          none: 'No user is named as an operator.',
        },
        options,
      ),
  }),
  operatorCommand({
    usage: 'operators add <application> <user>',
    summary: 'name a user as an operator of the server',
    details: `Signed in to the application, the user can then do in the operator's console what the operator key can, except
naming others. The user has to sign in again. Name only users whose password nobody else knows.`,
    examples: ["operators add 'Field inspections' naomi@example.com"],
    run: async (client, { args }) => {
      console.log(`${await send(client, 'PUT', args)} is an operator, and has to sign in again.`);
    },
  }),
  operatorCommand({
    usage: 'operators remove <application> <user>',
    summary: 'end that a user is an operator; the user stays',
    examples: ["operators remove 'Field inspections' naomi@example.com"],
    run: async (client, { args }) => {
      console.log(`${await send(client, 'DELETE', args)} is no operator any more.`);
    },
  }),
];
