// What a server answers when it refuses, as sentences for the operator: without codes and JSON, and with the names of the
// command's own options.

import { listed, shown } from '../domain/definition/problems.ts';
import { CommandFailure, exitOfStatus } from './failure.ts';

export interface RefusalParams {
  readonly reason?: string;
  readonly path?: string;
  readonly property?: string;
  readonly parameter?: string;
  readonly name?: string;
  readonly users?: number;
  readonly problems?: readonly { readonly path: string; readonly reason: string }[];
  readonly changes?: readonly unknown[];
  readonly collisions?: readonly {
    readonly collectionId: string;
    readonly columnId: string;
    readonly value: unknown;
    readonly recordIds: readonly string[];
  }[];
  readonly [member: string]: unknown;
}

/** A reply of the server that is no success. */
export class Refusal extends CommandFailure {
  readonly code: string;
  readonly params: RefusalParams;

  constructor(code: string, params: RefusalParams, status: number) {
    super(
      refusalSentence(code, params, (member) => member),
      { exit: exitOfStatus(status) },
    );
    this.code = code;
    this.params = params;
  }

  /** `optionOf` names the option that sets a member of the request. */
  withOptions(optionOf: (member: string) => string): CommandFailure {
    return new CommandFailure(refusalSentence(this.code, this.params, optionOf), { cause: this, exit: this.exit });
  }
}

type Sentence = (params: RefusalParams, optionOf: (member: string) => string) => string;

/** `profile.name` and `/limits/records-read` are about the options for `profile` and `limits`. */
function aboutMember(path: readonly string[], reason: string, optionOf: (member: string) => string): string {
  const [member = '', ...inner] = path;
  const option = optionOf(member);
  const rest = option === member ? inner.map((step) => `.${step}`).join('') : inner.filter((step) => step !== 'name');
  const known = reason.replace(/^requires (\w+)$/, (_, right: string) => `requires ${wordsOf(right)}`);
  const where = typeof rest === 'string' ? rest : rest.map((step) => ` ${step}`).join('');
  return `${option}${where} ${known}.`;
}

/** `managementApiAccess` → `management API access`. */
const wordsOf = (member: string): string =>
  member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bapi\b/, 'API');

const property: Sentence = ({ property = '', reason = 'is not valid' }, optionOf) =>
  aboutMember(property.split('.'), reason, optionOf);

const unknown =
  (what: string, member: string): Sentence =>
  (params) =>
    `There is no ${what} ${String(params[member] ?? '')}.`.replace(' .', '.');

/** Of the operator's interface, and of people, who are managed there and by logins. */
const OF_THE_OPERATOR: Readonly<Record<string, Sentence>> = {
  INVALID_DEFINITION: ({ problems = [] }) =>
    ['The document is not valid:', ...problems.map(({ path, reason }) => `  ${path || '/'} ${reason}`)].join('\n'),
  INVALID_BODY: ({ path = '', reason = 'is not valid' }, optionOf) =>
    path === '' ? `${capital(reason)}.` : aboutMember(path.slice(1).split('/'), reason, optionOf),
  INVALID_PARAMETER: ({ parameter = '', reason = 'is not valid' }, optionOf) =>
    parameter === 'userId' ? `The user ${reason}.` : `${optionOf(parameter)} ${reason}.`,
  MISSING_PROPERTY: (params, optionOf) =>
    params.property === 'password'
      ? 'The password is missing: type it on a terminal, or pipe it in with --password-stdin.'
      : property(params, optionOf),
  UNEXPECTED_PROPERTY: property,
  INVALID_PROPERTY: property,
  WEAK_PASSWORD: ({ reason = 'The password is too weak.' }) => reason,
  PASSWORD_NOT_ALLOWED: ({ reason = '' }) => `A password must not be given: ${reason}.`,
  USER_NAME_TAKEN: ({ name }) => `The name ${shown(name)} is taken: another user has it.`,
  UNKNOWN_SHARED_USER: ({ name }) =>
    `The organization has no shared user ${shown(name)}; \`shared-users create\` makes one.`,
  ALREADY_ACTIVE: ({ name }) => `${shown(name)} is a user of the application already.`,
  UNKNOWN_PROFILE: ({ name }) => `The application has no profile ${shown(name)}.`,
  UNKNOWN_TEAM: ({ name }) => `The application has no team ${shown(name)}.`,
  FORBIDDEN_SELF_CHANGE: ({ reason = '' }) => `Nothing was changed: ${reason}.`,
  NOT_IN_SHARED_USERS_MODE: () =>
    'The users of this application are shared users of its organization. Disable the user here, or delete the shared user with `shared-users delete`.',
  MODE_HAS_USERS: ({ users = 0 }) =>
    `Shared-users mode, and the organization while it is on, can change only while the application has no users. It has ${users}.`,
  INVALID_ARCHIVE: ({ reason = '' }) => reason,
  RESTORE_CONFLICT: ({ reason = '' }) => reason,
  APPLICATION_NOT_FOUND: unknown('application', 'applicationId'),
  ORGANIZATION_NOT_FOUND: unknown('organization', 'name'),
  USER_NOT_FOUND: unknown('user', 'userId'),
  SHARED_USER_NOT_FOUND: unknown('shared user', 'sharedUserId'),
  TOKEN_NOT_FOUND: unknown('token', 'tokenId'),
};

/** Of an application's own interface, which a login uses. */
const OF_APPLICATIONS: Readonly<Record<string, Sentence>> = {
  COLLECTION_NOT_FOUND: unknown('collection', 'collectionId'),
  RECORD_NOT_FOUND: unknown('record', 'recordId'),
  ATTACHMENT_NOT_FOUND: unknown('attachment', 'attachmentId'),
  INVALID_VALUE: ({ column, columnId, reason = 'is not valid', path }) =>
    `The value of ${column ?? columnId}${path === undefined || path === '/value' ? '' : ` at ${path}`} is refused: ${reason}.`,
  DUPLICATED_VALUES: ({ taken = [] }) =>
    (taken as readonly { column: string; value: unknown }[])
      .map(({ column, value }) => `Another record has ${shown(plainValue(value))} in ${column}, which is unique.`)
      .join('\n'),
  INVALID_SEARCH: ({ message, position }) =>
    `The search cannot be read at character ${Number(position) + 1}: ${message}.`,
  COLUMN_NOT_SORTABLE: ({ column, columnId }) =>
    `Records cannot be ordered by ${column ?? columnId}: it is not sortable.`,
  INVALID_NOTIFICATION: property,
  INVALID_PERIOD: ({ reason = 'is not valid' }) => `The period ${reason}.`,
  API_ACCESS_REQUIRED: () => 'This user has no API access; `users update … --api-access` gives it.',
  MANAGEMENT_API_ACCESS_REQUIRED: () =>
    'This user has no management access; `users update … --management-api-access` gives it.',
  ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED: () =>
    'This user has no organization management access; `users update … --organization-management-api-access` gives it.',
  PRECONDITION_FAILED: () => 'Somebody else has changed the record meanwhile; try again.',
  ADMIN_REQUIRED: () => 'Only admins may do this.',
  NOT_FOUND: () => 'The server has nothing at this address. Check what the address has after the name of the server.',
  FORBIDDEN: () => 'This user may not do this.',
  FEATURE_DISABLED: ({ feature }) =>
    feature === 'activityLog'
      ? 'The application keeps no activity log; its operator turns it on by publishing it with "activityLogEnabled": true.'
      : `The application does not have this turned on: ${feature}.`,
  NOT_IN_PLAN: ({ group }) => `The plan of the application does not include ${group}; the operator can change it.`,
  TOO_MANY_REQUESTS: ({ group, reason }) => {
    if (group !== undefined) return `The application has used up its quota of ${group} for this hour.`;
    if (reason === 'authentication') return 'Too many wrong passwords or tokens came from here; try again in a minute.';
    return 'The server receives too many requests; try again in a minute.';
  },
  UNAVAILABLE: ({ reason = '' }) =>
    reason === 'backup'
      ? 'A backup is being made; try again when it is done.'
      : `The server cannot do it now (${reason}); try again.`,
  INTERNAL_ERROR: () => 'The server failed. Its log has the reason.',
};

const SENTENCES = { ...OF_THE_OPERATOR, ...OF_APPLICATIONS };

function refusalSentence(code: string, params: RefusalParams, optionOf: (member: string) => string): string {
  const sentence = SENTENCES[code];
  if (sentence !== undefined) return sentence(params, optionOf);
  const known = Object.entries(params).filter(([, value]) => typeof value !== 'object');
  const said = known.map(([name, value]) => `${name} ${String(value)}`);
  return `The server refused with ${code}${said.length === 0 ? '' : `: ${listed(said)}`}.`;
}

/** The value itself where it has one, without its type. */
export function plainValue(value: unknown): unknown {
  const { value: inner, name, id, recordId } = Object(value) as Record<string, unknown>;
  return inner ?? name ?? id ?? recordId ?? value;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
