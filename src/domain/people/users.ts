// Rules about users and shared users that hold in every application. The shape of bodies is in domain/people/user-bodies.

import { domainToASCII } from 'node:url';

export const USER_NAME_MAX = 64;
export const EMAIL_MAX = 254;

export interface PropertyProblem {
  /** `body`: the body is not an object. */
  readonly kind: 'body' | 'unexpected' | 'missing' | 'invalid';
  /** Member names, from the outermost inwards. */
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

/** No quotes, comments, groups and lists, so that every mail program reads the same single address. */
const BEFORE_AT = /^[^\s@<>(),;:"[\]\\\p{Cc}\p{Cs}]+$/u;
/** Host names in any script; no numbers, which some programs read as IP addresses. */
const AFTER_AT = /^(?:[\p{L}\p{M}\p{Nd}_-]+\.)*(?!\p{Nd}+$|0x[\da-f]*$)[\p{L}\p{M}\p{Nd}_-]+$/iu;

export function emailProblem(email: string): PropertyProblem | undefined {
  if (email.length > EMAIL_MAX) return invalid('email', `must have at most ${EMAIL_MAX} characters`);
  const [local = '', domain = '', ...more] = email.split('@');
  // A domain without an ASCII form is not a valid host name.
  if (more.length > 0 || !BEFORE_AT.test(local) || !AFTER_AT.test(domain) || domainToASCII(domain) === '') {
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
