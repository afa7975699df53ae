// What is wrong with a publish document: where, as a JSON pointer, and why, as the rest of a sentence about that place.
// Only the shape and the pointers; the rules are in the files beside this one.

export interface Problem {
  readonly path: string;
  readonly reason: string;
}

/** A JSON pointer (RFC 6901) to a member below another. */
export function pointer(base: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => `${path}/${escapeStep(String(step))}`, base);
}

const escapeStep = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');

const SHOWN_LENGTH_MAX = 60;

/** Something from the document as it may appear in a reason: quoted, and short whatever was sent. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const points = [...text.slice(0, 2 * SHOWN_LENGTH_MAX + 2)];
  return points.length <= SHOWN_LENGTH_MAX ? text : `${points.slice(0, SHOWN_LENGTH_MAX).join('')}…`;
}

/** Words in a list for people: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
