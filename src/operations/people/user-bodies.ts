// Bodies of users and shared users, checked in the order that the documentation tells. Both doors have the same rules and
// differ only in how they call a body that breaks one.

import {
  newSharedUserProblem,
  newUserProblem,
  sharedUserUpdateProblem,
  userUpdateProblem,
} from '../../domain/people/user-bodies.ts';
import { type Accesses, accessProblem, type PropertyProblem } from '../../domain/people/users.ts';
import { type Fault, fault } from '../../faults.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { NewSharedUser, NewUser, SharedUserUpdate, UserUpdate } from '../../wire/users.ts';
import { refuseWeak } from './weak-passwords.ts';

export type Door = (problem: PropertyProblem) => Fault;

const wrongBody: Door = ({ path, reason }) =>
  fault('INVALID_BODY', { reason, path: path.map((step) => `/${step}`).join('') });

export const OPERATOR_DOOR: Door = wrongBody;

const CODES = {
  unexpected: 'UNEXPECTED_PROPERTY',
  missing: 'MISSING_PROPERTY',
  invalid: 'INVALID_PROPERTY',
} as const;

export const MANAGEMENT_DOOR: Door = (problem) =>
  problem.kind === 'body'
    ? wrongBody(problem)
    : fault(CODES[problem.kind], { property: problem.path.join('.'), reason: problem.reason });

export function readNewUser(input: unknown, definition: Definition, door: Door): NewUser {
  const problem = newUserProblem(input, definition);
  if (problem !== undefined) throw door(problem);
  const body = input as NewUser;
  refuseUnusable(body, definition);
  return body;
}

export function readUserUpdate(input: unknown, definition: Definition): UserUpdate {
  const problem = userUpdateProblem(input, definition);
  if (problem !== undefined) throw MANAGEMENT_DOOR(problem);
  const body = input as UserUpdate;
  refuseUnusable(body, definition);
  return body;
}

/** Once more for what a user has behind an update, which may have left something out. */
export function refuseAccesses(user: Accesses): void {
  const problem = accessProblem(user);
  if (problem !== undefined) throw MANAGEMENT_DOOR(problem);
}

function refuseUnusable(body: NewUser | UserUpdate, { profiles, teams }: Definition): void {
  refuseGivenWeak(body.password);
  if (!profiles.includes(body.profile.name)) throw fault('UNKNOWN_PROFILE', { name: body.profile.name });
  if (body.team !== undefined && !teams.includes(body.team.name)) throw fault('UNKNOWN_TEAM', { name: body.team.name });
}

function refuseGivenWeak(password: string | undefined): void {
  if (password !== undefined) refuseWeak(password, 'password');
}

export function readNewSharedUser(input: unknown, singleSignOn: boolean, door: Door): NewSharedUser {
  refuseSharedProblem(newSharedUserProblem(input, singleSignOn), singleSignOn, door);
  const body = input as NewSharedUser;
  refuseGivenWeak(body.password);
  return body;
}

export function readSharedUserUpdate(input: unknown, singleSignOn: boolean): SharedUserUpdate {
  refuseSharedProblem(sharedUserUpdateProblem(input, singleSignOn), singleSignOn, MANAGEMENT_DOOR);
  const body = input as SharedUserUpdate;
  refuseGivenWeak(body.password);
  return body;
}

function refuseSharedProblem(problem: PropertyProblem | undefined, singleSignOn: boolean, door: Door): void {
  if (problem === undefined) return;
  if (singleSignOn && problem.kind === 'unexpected' && problem.path.join('.') === 'password') {
    throw fault('PASSWORD_NOT_ALLOWED', { property: 'password', reason: 'single sign-on is on' });
  }
  throw door(problem);
}
