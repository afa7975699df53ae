// Rules about users and shared users that hold in every application. What a body must have is domain/people/user-bodies.

import { domainToASCII } from 'node:url';

export const USER_NAME_MAX = 64;
export const EMAIL_MAX = 254;

export interface PropertyProblem {
  /** `body`: it is no object, and has no properties to speak of. */
  readonly kind: 'body' | 'unexpected' | 'missing' | 'invalid';
  /** From the body's own member inwards. */
  readonly path: readonly string[];
  readonly reason: string;
}

const invalid = (property: string, reason: string): PropertyProblem => ({ kind: 'invalid', path: [property], reason });

export function userNameProblem(name: string): PropertyProblem | undefined {
  const length = [...name].length;
  if (length < 1 || length > USER_NAME_MAX) return invalid('name', `must have 1 to ${USER_NAME_MAX} characters`);
  if (name.startsWith('_')) return invalid('name', 'must not start with _');
  if (/\p{Cc}|\p{Cs}/u.test(name)) return invalid('name', 'must not contain control characters');
  return undefined;
}

/** No quotes, comments, groups and lists: whatever a mail program reads into an address, the mail goes to this one. */
const BEFORE_AT = /^[^\s@<>(),;:"[\]\\\p{Cc}\p{Cs}]+$/u;
/** Names of hosts, in whatever script, and no numbers, which some take for addresses of the network. */
const AFTER_AT = /^(?:[\p{L}\p{M}\p{Nd}_-]+\.)*(?!\p{Nd}+$|0x[\da-f]*$)[\p{L}\p{M}\p{Nd}_-]+$/iu;

export function emailProblem(email: string): PropertyProblem | undefined {
  if (email.length > EMAIL_MAX) return invalid('email', `must have at most ${EMAIL_MAX} characters`);
  const [before = '', behind = '', ...more] = email.split('@');
  // A name that has no form in the network's own letters is the name of no host.
  if (more.length > 0 || !BEFORE_AT.test(before) || !AFTER_AT.test(behind) || domainToASCII(behind) === '') {
    return invalid('email', 'must be an e-mail address');
  }
  return undefined;
}

export interface Accesses {
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess?: boolean;
}

/** Each access needs the narrower access before it. */
export function accessProblem(user: Accesses): PropertyProblem | undefined {
  if (user.managementApiAccess && !user.apiAccess) return invalid('managementApiAccess', 'requires apiAccess');
  if (user.organizationManagementApiAccess === true && !user.managementApiAccess) {
    return invalid('organizationManagementApiAccess', 'requires managementApiAccess');
  }
  return undefined;
}

/** Whether the user can run the application: at least one such user must remain. */
export const runsApplication = (user: {
  readonly admin: boolean;
  readonly managementApiAccess: boolean;
  readonly disabled: boolean;
}): boolean => user.admin && user.managementApiAccess && !user.disabled;
