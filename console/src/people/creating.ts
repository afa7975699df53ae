// Creates a person, and what lets them in. A user is created once; what fails after that is said beside it.

import { type ApplicationDefinition, clientOf, type ManagementUser, type PasswordLink } from '../api/client.ts';
import { randomPassword } from './new-password.ts';
import { newUserOf, type UserValues } from './user-form.ts';
import type { WayIn } from './ways-in.ts';

interface Person {
  readonly values: UserValues;
  readonly way: WayIn;
  /** For the way of that name. */
  readonly password: string;
}

export interface CreatedPerson {
  readonly user: ManagementUser;
  readonly link: PasswordLink | undefined;
  readonly linkProblem: unknown;
}

export async function createPerson(
  application: string,
  definition: ApplicationDefinition,
  { values, way, password }: Person,
): Promise<CreatedPerson> {
  const { raw } = clientOf(application);
  const body = newUserOf(values, definition, way === 'password' ? password : randomPassword());
  const { body: user } = await raw.createManagementUser({ body });
  if (way !== 'mail' && way !== 'link') return { user, link: undefined, linkProblem: undefined };
  try {
    const made = await raw.createPasswordLink({ userId: user.id, body: { mail: way === 'mail' } });
    return { user, link: made.body, linkProblem: undefined };
  } catch (linkProblem) {
    return { user, link: undefined, linkProblem };
  }
}
