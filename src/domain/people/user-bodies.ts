// Finds what is wrong with a body that creates or changes a user or a shared user, in an application with the given modes.
// The error codes are chosen in operations/people/user-bodies.

import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import {
  NewPassword,
  type NewSharedUser,
  type NewUser,
  newSharedUserIn,
  newUserIn,
  type SharedUserUpdate,
  sharedUserUpdateIn,
  type UserModes,
  type UserUpdate,
  userUpdateIn,
} from '../../wire/users.ts';
import { jsonValidators } from '../json-validators.ts';
import { KINDS } from '../schema-type-words.ts';
import { accessProblem, emailProblem, type PropertyProblem, userNameProblem } from './users.ts';

const validator = jsonValidators({ allErrors: true });

/** A validator for each of the four combinations of modes. */
function inEveryMode(schemaIn: (modes: UserModes) => TSchema): (modes: UserModes) => ValidateFunction {
  const each = [false, true].map((sharedUsersModeEnabled) =>
    [false, true].map((teamsModeEnabled) => validator(() => schemaIn({ sharedUsersModeEnabled, teamsModeEnabled }))),
  );
  return (modes) => each[Number(modes.sharedUsersModeEnabled)]![Number(modes.teamsModeEnabled)]!();
}

/** A validator with and without single sign-on. */
function forEachSignOn(schemaIn: (singleSignOn: boolean) => TSchema): (singleSignOn: boolean) => ValidateFunction {
  const each = [false, true].map((singleSignOn) => validator(() => schemaIn(singleSignOn)));
  return (singleSignOn) => each[Number(singleSignOn)]!();
}

const newUser = inEveryMode(newUserIn);
const userUpdate = inEveryMode(userUpdateIn);
const newSharedUser = forEachSignOn(newSharedUserIn);
const sharedUserUpdate = forEachSignOn(sharedUserUpdateIn);

export function newUserProblem(input: unknown, modes: UserModes): PropertyProblem | undefined {
  const problem = shapeProblem(newUser(modes), input);
  if (problem !== undefined) return inMode(problem, modes);
  const body = input as NewUser;
  return userNameProblem(body.name) ?? givenEmailProblem(body.email) ?? accessProblem(body);
}

/** A member that is left out may still break a rule together with the stored user. */
export function userUpdateProblem(input: unknown, modes: UserModes): PropertyProblem | undefined {
  const problem = shapeProblem(userUpdate(modes), input);
  if (problem !== undefined) return inMode(problem, modes);
  const body = input as UserUpdate;
  return givenEmailProblem(body.email) ?? accessProblem(body);
}

export function newSharedUserProblem(input: unknown, singleSignOn: boolean): PropertyProblem | undefined {
  const problem = shapeProblem(newSharedUser(singleSignOn), input);
  if (problem !== undefined) return problem;
  const body = input as NewSharedUser;
  return userNameProblem(body.name) ?? emailProblem(body.email);
}

export function sharedUserUpdateProblem(input: unknown, singleSignOn: boolean): PropertyProblem | undefined {
  return shapeProblem(sharedUserUpdate(singleSignOn), input) ?? emailProblem((input as SharedUserUpdate).email);
}

const newPassword = validator(() => NewPassword);

export const newPasswordProblem = (input: unknown): PropertyProblem | undefined => shapeProblem(newPassword(), input);

const givenEmailProblem = (email: string | undefined) => (email === undefined ? undefined : emailProblem(email));

/** Adds the mode that refuses the property, where another mode would accept it. */
function inMode(problem: PropertyProblem, modes: UserModes): PropertyProblem {
  const [property = '', ...inner] = problem.path;
  if (problem.kind !== 'unexpected' || inner.length > 0) return problem;
  const refusals: Readonly<Record<string, string | false>> = Object.assign(Object.create(null), {
    email: modes.sharedUsersModeEnabled && 'shared-users mode is on',
    password: modes.sharedUsersModeEnabled && 'shared-users mode is on',
    team: !modes.teamsModeEnabled && 'team mode is off',
    teamLeader: !modes.teamsModeEnabled && 'team mode is off',
  });
  const refusal = refusals[property];
  return refusal ? { ...problem, reason: `must not be given while ${refusal}` } : problem;
}

/** An unexpected property before a missing one, and that before one of the wrong type. */
function shapeProblem(validate: ValidateFunction, input: unknown): PropertyProblem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { kind: 'body', path: [], reason: 'the body must be an object' };
  }
  if (validate(input)) return undefined;
  const problems = (validate.errors ?? []).map(toProblem);
  const first = (kind: PropertyProblem['kind']) => problems.find((problem) => problem.kind === kind);
  return first('unexpected') ?? first('missing') ?? first('invalid');
}

/** Unknown names are cut: they can be as long as a body. */
const NAME_SHOWN_MAX = 100;

function toProblem({ keyword, instancePath, params }: ErrorObject): PropertyProblem {
  const path = instancePath.split('/').slice(1);
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params.additionalProperty).slice(0, NAME_SHOWN_MAX);
      return { kind: 'unexpected', path: [...path, name], reason: 'is not a member of this body' };
    }
    case 'required':
      return { kind: 'missing', path: [...path, String(params.missingProperty)], reason: 'is missing' };
    default:
      return { kind: 'invalid', path, reason: `must be ${KINDS[String(params.type)] ?? params.type}` };
  }
}
