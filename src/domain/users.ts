// Rules of user bodies that depend on the application's modes. The doors differ in how they name a broken rule, so
// these functions say what is wrong and leave the code to the caller.

import type { Definition } from '../wire/publish-document.ts';
import type { NewUser } from '../wire/users.ts';

export const USER_NAME_MAX = 64;
const EMAIL_MAX = 254;

export interface PropertyProblem {
  readonly kind: 'missing' | 'unexpected' | 'invalid';
  readonly property: string;
  readonly reason: string;
}

const problem = (kind: PropertyProblem['kind'], property: string, reason: string): PropertyProblem => ({
  kind,
  property,
  reason,
});

export function userNameProblem(name: string): PropertyProblem | undefined {
  const length = [...name].length;
  if (length < 1 || length > USER_NAME_MAX)
    return problem('invalid', 'name', `must have 1 to ${USER_NAME_MAX} characters`);
  if (name.startsWith('_')) return problem('invalid', 'name', 'must not start with _');
  if (/\p{Cc}|\p{Cs}/u.test(name)) return problem('invalid', 'name', 'must not contain control characters');
  return undefined;
}

export function emailProblem(email: string): PropertyProblem | undefined {
  if (email.length > EMAIL_MAX || !/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(email)) {
    return problem('invalid', 'email', 'must be an e-mail address');
  }
  return undefined;
}

/** The first rule that a new user's body breaks in an application with these modes. */
export function newUserProblem(
  body: NewUser,
  modes: Pick<Definition, 'sharedUsersModeEnabled' | 'teamsModeEnabled'>,
): PropertyProblem | undefined {
  return (
    userNameProblem(body.name) ??
    modeProblem(body, ['email', 'password'], !modes.sharedUsersModeEnabled, 'shared-users mode is on') ??
    modeProblem(body, ['team', 'teamLeader'], modes.teamsModeEnabled, 'team mode is off') ??
    (body.email === undefined ? undefined : emailProblem(body.email)) ??
    flagProblem(body)
  );
}

function modeProblem(
  body: NewUser,
  properties: readonly ('email' | 'password' | 'team' | 'teamLeader')[],
  required: boolean,
  refusal: string,
): PropertyProblem | undefined {
  for (const property of properties) {
    const given = body[property] !== undefined;
    if (required && !given) return problem('missing', property, 'is required in this application');
    if (!required && given) return problem('unexpected', property, `must not be given while ${refusal}`);
  }
  return undefined;
}

function flagProblem(body: NewUser): PropertyProblem | undefined {
  if (body.managementApiAccess && !body.apiAccess) {
    return problem('invalid', 'managementApiAccess', 'requires apiAccess');
  }
  if (body.organizationManagementApiAccess === true && !body.managementApiAccess) {
    return problem('invalid', 'organizationManagementApiAccess', 'requires managementApiAccess');
  }
  return undefined;
}
