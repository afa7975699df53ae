// `cartulary whoami` and `cartulary profiles`: which logins are kept, and which one commands use.

import { keptProfile } from '../logins.ts';
import { readProfiles, useProfile } from '../profiles.ts';
import { programName } from '../program-name.ts';
import { printTable } from './columns.ts';
import { type Call, type CommandRow, JSON_OPTION, localCommand, type Printing, printJson, userCommand } from './row.ts';
import { rightsCell } from './user-rights.ts';

async function profiles({ args: [given], options, environment }: Call<Printing>): Promise<void> {
  if (given !== undefined) {
    const { name } = await keptProfile(environment, { profile: given });
    await useProfile(environment, name);
  }
  const { current, profiles: all } = await readProfiles(environment);
  const rows = Object.entries(all).map(([name, { address, application, user }]) => ({
    name,
    current: name === current,
    address,
    application,
    user,
  }));
  if (options.json) printJson(rows);
  else if (rows.length === 0) console.log(`There are no profiles; \`${programName()} login\` makes one.`);
  else {
    printTable([
      ['', 'Profile', 'Application', 'User', 'Server'],
      ...rows.map(({ name, current: isCurrent, application, user, address }) => [
        isCurrent ? '*' : '',
        name,
        application.name,
        user.name,
        address,
      ]),
    ]);
  }
}

export const PROFILE_COMMANDS: readonly CommandRow[] = [
  userCommand<Printing>({
    usage: 'whoami',
    summary: 'show the user, the application and the server that commands use',
    options: [JSON_OPTION],
    examples: ['whoami'],
    run: async ({ raw, login, definition }, { options }) => {
      const { body: session } = await raw.getSession({});
      const { id, name } = session.apiAccess ? await definition() : { id: login.applicationId, name: '' };
      const { address, profile = null } = login;
      if (options.json) printJson({ ...session, application: { id, name }, address, profile });
      else {
        printTable([
          ['User', `${session.user.name} (${session.user.id})`],
          ['Rights', rightsCell(session)],
          ['Application', name === '' ? id : `${name} (${id})`],
          ['Server', address],
          ['Login', login.source],
        ]);
      }
    },
  }),
  localCommand<Printing>({
    usage: 'profiles [profile]',
    summary: 'list the login profiles, or make one the current one',
    options: [JSON_OPTION],
    details: '--profile, or CARTULARY_PROFILE, selects another profile than the current one for a single command.',
    examples: ['profiles', 'profiles field-inspections'],
    run: profiles,
  }),
];
