// Bodies of users and shared users, checked in the order that docs/users.md gives ("Which code when"). The management
// interface and the operator's share these rules and their faults.

import {
  newPasswordProblem,
  newSharedUserProblem,
  newUserProblem,
  sharedUserUpdateProblem,
  userUpdateProblem,
} from '../../domain/people/user-bodies.ts';
import { type Accesses, accessProblem, type PropertyProblem } from '../../domain/people/users.ts';
import { type Fault, fault } from '../../faults.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { NewPassword, NewSharedUser, NewUser, SharedUserUpdate, UserUpdate } from '../../wire/users.ts';
import { refuseWeak } from './passwords.ts';

const CODES = {
  unexpected: 'UNEXPECTED_PROPERTY',
  missing: 'MISSING_PROPERTY',
  invalid: 'INVALID_PROPERTY',
} as const;

function faultOf({ kind, path, reason }: PropertyProblem): Fault {
  return kind === 'body'
    ? fault('INVALID_BODY', { reason, path: '' })
    : fault(CODES[kind], { property: path.join('.'), reason });
}

export function readNewUser(input: unknown, definition: Definition): NewUser {
  const problem = newUserProblem(input, definition);
  if (problem !== undefined) throw faultOf(problem);
  const body = input as NewUser;
  refuseUnusable(body, definition);
  return body;
}

export function readUserUpdate(input: unknown, definition: Definition): UserUpdate {
  const problem = userUpdateProblem(input, definition);
  if (problem !== undefined) throw faultOf(problem);
  const body = input as UserUpdate;
  refuseUnusable(body, definition);
  return body;
}

/** Checks a user as an update leaves it: the body may have left out an access that the others need. */
export function refuseAccesses(user: Accesses): void {
  const problem = accessProblem(user);
  if (problem !== undefined) throw faultOf(problem);
}

function refuseUnusable(body: NewUser | UserUpdate, { profiles, teams }: Definition): void {
  refuseGivenWeak(body.password);
  if (!profiles.includes(body.profile.name)) throw fault('UNKNOWN_PROFILE', { name: body.profile.name });
  if (body.team !== undefined && !teams.includes(body.team.name)) throw fault('UNKNOWN_TEAM', { name: body.team.name });
}

function refuseGivenWeak(password: string | undefined): void {
  if (password !== undefined) refuseWeak(password, 'password');
}

export function readNewSharedUser(input: unknown, singleSignOn: boolean): NewSharedUser {
  refuseSharedProblem(newSharedUserProblem(input, singleSignOn), singleSignOn);
  const body = input as NewSharedUser;
  refuseGivenWeak(body.password);
  return body;
}

export function readSharedUserUpdate(input: unknown, singleSignOn: boolean): SharedUserUpdate {
  refuseSharedProblem(sharedUserUpdateProblem(input, singleSignOn), singleSignOn);
  const body = input as SharedUserUpdate;
  refuseGivenWeak(body.password);
  return body;
}

/** The password alone, for a user or a shared user. */
export function readNewPassword(input: unknown): NewPassword {
  const problem = newPasswordProblem(input);
  if (problem !== undefined) throw faultOf(problem);
  const body = input as NewPassword;
  refuseWeak(body.password, 'password');
  return body;
}

function refuseSharedProblem(problem: PropertyProblem | undefined, singleSignOn: boolean): void {
  if (problem === undefined) return;
  if (singleSignOn && problem.kind === 'unexpected' && problem.path.join('.') === 'password') {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'password', reason: 'single sign-on is on' });
  }
  throw faultOf(problem);
}
