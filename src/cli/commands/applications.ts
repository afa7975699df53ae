// `cartulary applications` and `cartulary collections`: what is published, with identifiers.

import type { ApplicationSummary } from '../../wire/operator.ts';
import { readProfiles, removeProfile } from '../profiles.ts';
import { collectionTable } from './collection-table.ts';
import { inColumns, printTable } from './columns.ts';
import { findApplication, findApplicationId, findCollection } from './names.ts';
import { type CommandRow, JSON_OPTION, operatorCommand, type Printing, printJson } from './row.ts';

const removeCommand = (usage: string, summary: string): CommandRow =>
  operatorCommand({
    usage,
    summary,
    options: [{ flags: '--yes', text: 'confirm that all its data is removed', required: true }],
    examples: [`${usage.replace('<application>', "'Field inspections'")} --yes`],
    run: async (client, { args: [given = ''], environment }) => {
      const id = await findApplicationId(client, given);
      await client.send('DELETE', `/applications/${id}`);
      const logins = await forgetLogins(environment, { address: client.root, id });
      console.log(logins.length === 0 ? 'Removed.' : `Removed, and with it the login profile ${logins.join(', ')}.`);
    },
  });

/** Profiles of an application that is gone only lead to refusals. Returns their names. */
async function forgetLogins(
  environment: NodeJS.ProcessEnv,
  { address, id }: { readonly address: string; readonly id: string },
): Promise<string[]> {
  const { profiles } = await readProfiles(environment);
  const names = Object.keys(profiles).filter(
    (name) => profiles[name]?.application.id === id && profiles[name].address === address,
  );
  for (const name of names) await removeProfile(environment, name);
  return names;
}

export const APPLICATION_COMMANDS: readonly CommandRow[] = [
  operatorCommand<Printing>({
    usage: 'applications list',
    summary: 'list all applications',
    options: [JSON_OPTION],
    examples: ['applications list'],
    run: async (client, { options }) => {
      const applications = (await client.send('GET', '/applications')) as ApplicationSummary[];
      if (options.json) printJson(applications);
      else if (applications.length === 0) console.log('There are no applications; `publish` makes one.');
      else {
        const rows = applications.map(({ name, id, version, organization, plan }) => [
          name,
          id,
          String(version),
          organization,
          plan,
        ]);
        printTable([['Application', 'ID', 'Version', 'Organization', 'Plan'], ...rows]);
      }
    },
  }),
  operatorCommand({
    usage: 'applications show <application>',
    summary: 'print the current publish document, with all identifiers',
    examples: ["applications show 'Field inspections' > inspections.json"],
    run: async (client, { args: [given = ''] }) => printJson(await findApplication(client, given)),
  }),
  removeCommand('applications delete <application>', 'delete an application and all its data'),
  removeCommand('applications remove <application>', 'the same as applications delete'),
  operatorCommand<Printing>({
    usage: 'collections list <application> [collection]',
    byProfile: true,
    summary: 'list the collections and columns of an application with their identifiers, or those of one collection',
    options: [JSON_OPTION],
    examples: ["collections list 'Field inspections'", "collections list 'Field inspections' Visits"],
    run: async (client, { args: [application = '', given], options }) => {
      const definition = await findApplication(client, application);
      const collections = given === undefined ? definition.collections : [findCollection(definition, given)];
      if (options.json) printJson(collections);
      else if (collections.length === 0) console.log('There are no collections.');
      else console.log(inColumns(collectionTable(collections)).join('\n'));
    },
  }),
];
