// All commands. The program, its help and the tests of both are made from these rows.

import { EXPORT_COMMANDS } from '../moving/export-command.ts';
import { IMPORT_COMMANDS } from '../moving/import-command.ts';
import { TYPE_COMMANDS } from './application-types.ts';
import { APPLICATION_COMMANDS } from './applications.ts';
import { ATTACHMENT_COMMANDS } from './attachments.ts';
import { BACKUP_COMMANDS } from './backup.ts';
import { CLUSTER_COMMANDS } from './cluster.ts';
import { completionCommand } from './completion.ts';
import { DOCTOR_COMMANDS } from './doctor.ts';
import { LOGIN_COMMANDS } from './login.ts';
import { LOG_COMMANDS } from './logs.ts';
import { NOTIFY_COMMANDS } from './notify.ts';
import { OPEN_COMMANDS } from './open.ts';
import { OPERATOR_COMMANDS } from './operators.ts';
import { ORGANIZATION_COMMANDS } from './organizations.ts';
import { PROFILE_COMMANDS } from './profiles.ts';
import { PUBLISH_COMMANDS } from './publish.ts';
import { QUOTA_COMMANDS } from './quotas.ts';
import { RECORD_COMMANDS } from './records.ts';
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
  operators: 'users who are named as operators of the server',
  organizations: 'organizations and their single sign-on',
  'shared-users': 'shared users of an organization',
  quotas: 'limits on the requests of an application per hour',
  records: 'records of a collection',
  attachments: 'files of a collection',
  logs: 'the activity log of an application',
  cluster: 'the workers of a Citus cluster',
};

const ROWS: readonly CommandRow[] = [
  ...SERVE_COMMANDS,
  ...PUBLISH_COMMANDS,
  ...APPLICATION_COMMANDS,
  ...USER_COMMANDS,
  ...TOKEN_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...ORGANIZATION_COMMANDS,
  ...SHARED_USER_COMMANDS,
  ...QUOTA_COMMANDS,
  ...TYPE_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...CLUSTER_COMMANDS,
  ...LOGIN_COMMANDS,
  ...PROFILE_COMMANDS,
  ...RECORD_COMMANDS,
  ...ATTACHMENT_COMMANDS,
  ...IMPORT_COMMANDS,
  ...EXPORT_COMMANDS,
  ...NOTIFY_COMMANDS,
  ...LOG_COMMANDS,
  ...OPEN_COMMANDS,
  ...BACKUP_COMMANDS,
];

export const COMMANDS: readonly CommandRow[] = [...ROWS, completionCommand(ROWS)];
