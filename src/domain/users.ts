// Rules about users and shared users that hold in every application. What a body must have is domain/user-bodies.

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

export function emailProblem(email: string): PropertyProblem | undefined {
  if (email.length > EMAIL_MAX || !/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(email)) {
    return invalid('email', 'must be an e-mail address');
  }
  return undefined;
}

export interface Accesses {
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess?: boolean;
}

/** Each access to more needs the one before it. */
export function accessProblem(user: Accesses): PropertyProblem | undefined {
  if (user.managementApiAccess && !user.apiAccess) return invalid('managementApiAccess', 'requires apiAccess');
  if (user.organizationManagementApiAccess === true && !user.managementApiAccess) {
    return invalid('organizationManagementApiAccess', 'requires managementApiAccess');
  }
  return undefined;
}

/** Whether somebody can run the application: of these at least one stays. */
export const runsApplication = (user: {
  readonly admin: boolean;
  readonly managementApiAccess: boolean;
  readonly disabled: boolean;
}): boolean => user.admin && user.managementApiAccess && !user.disabled;
