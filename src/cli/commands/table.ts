// All commands. The program, its help and the tests of both are made from these rows.

import { TYPE_COMMANDS } from './application-types.ts';
import { APPLICATION_COMMANDS } from './applications.ts';
import { DOCTOR_COMMANDS } from './doctor.ts';
import { ORGANIZATION_COMMANDS } from './organizations.ts';
import { PUBLISH_COMMANDS } from './publish.ts';
import { QUOTA_COMMANDS } from './quotas.ts';
import type { CommandRow } from './row.ts';
import { SERVE_COMMANDS } from './serve.ts';
import { SHARED_USER_COMMANDS } from './shared-users.ts';
import { TOKEN_COMMANDS } from './tokens.ts';
import { USER_COMMANDS } from './users.ts';

/** What the first word of commands of two words is about, in the order of the help. */
export const COMMAND_SUBJECTS: Readonly<Record<string, string>> = {
  applications: 'published applications',
  collections: 'collections and columns of an application, with their identifiers',
  users: 'users of an application',
  tokens: 'API tokens of users',
  organizations: 'organizations and their single sign-on',
  'shared-users': 'shared users of an organization',
  quotas: 'limits on the requests of an application per hour',
};

export const COMMANDS: readonly CommandRow[] = [
  ...SERVE_COMMANDS,
  ...PUBLISH_COMMANDS,
  ...APPLICATION_COMMANDS,
  ...USER_COMMANDS,
  ...TOKEN_COMMANDS,
  ...ORGANIZATION_COMMANDS,
  ...SHARED_USER_COMMANDS,
  ...QUOTA_COMMANDS,
  ...TYPE_COMMANDS,
  ...DOCTOR_COMMANDS,
];
