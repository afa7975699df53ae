import type { User } from '../../../../client/src/shapes.ts';
import type { PasteProblem, Read } from './reading.ts';

/** People are asked of the server, by name or e-mail address. */
export const readUser = (text: string): Read => ({ seek: text.trim() });

export interface Sought<Found> {
  readonly found?: Found;
  readonly problem?: PasteProblem;
}

interface Known extends User {
  /** Only for those who may manage people. */
  readonly email?: string | undefined;
}

/** The one person whom a text names; of several with a part of it, the one with the whole name. */
export function personOf(text: string, people: readonly Known[]): Sought<User> {
  const wanted = text.toLowerCase();
  const exact = people.filter(({ id, email }) => id === text || email?.toLowerCase() === wanted);
  const named = exact.length > 0 ? exact : people.filter(({ name }) => name.toLowerCase() === wanted);
  const [only] = named;
  if (only === undefined) return { problem: 'nobody' };
  return named.length > 1 ? { problem: 'severalPeople' } : { found: { id: only.id, name: only.name } };
}
