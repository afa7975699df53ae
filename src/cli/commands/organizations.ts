// `cartulary organizations`: organizations and their single sign-on.

import { readJsonFile } from './json-file.ts';
import { findOrganization, organizationPath } from './names.ts';
import { type ListOptions, printList, TOP_OPTION } from './people.ts';
import { type CommandRow, JSON_OPTION, operatorCommand, printJson } from './row.ts';

interface OrganizationShown {
  readonly name: string;
  readonly singleSignOn: { readonly issuer: string } | null;
}

export const ORGANIZATION_COMMANDS: readonly CommandRow[] = [
  operatorCommand<ListOptions>({
    usage: 'organizations list',
    summary: 'list all organizations',
    options: [TOP_OPTION, JSON_OPTION],
    examples: ['organizations list'],
    run: (client, { options }) =>
      printList(
        client,
        {
          path: '/organizations',
          headings: ['Organization', 'Single sign-on'],
          row: ({ name, singleSignOn }: OrganizationShown) => [name, singleSignOn?.issuer ?? 'off'],
          none: 'There are no organizations.',
        },
        options,
      ),
  }),
  operatorCommand({
    usage: 'organizations show <organization>',
    summary: 'print an organization with its single sign-on, as JSON that `organizations put` takes',
    examples: ['organizations show Acme > acme.json'],
    run: async (client, { args: [given = ''] }) =>
      printJson(await client.send('GET', organizationPath(await findOrganization(client, given)))),
  }),
  operatorCommand({
    usage: 'organizations put <organization> <file>',
    summary: 'create an organization or set its single sign-on from a JSON file; - reads standard input',
    details: `The file has {"singleSignOn": null}, or {"singleSignOn": {"issuer": …, "clientId": …, "clientSecret": …}}.`,
    examples: ['organizations put Acme acme.json'],
    run: async (client, { args: [name = '', file = ''] }) =>
      printJson(await client.send('PUT', organizationPath(name), await readJsonFile(file))),
  }),
];
