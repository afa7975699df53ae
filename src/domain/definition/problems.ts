// Problems of a publish document: a JSON pointer, and a reason that completes a sentence about that member. The rules
// themselves are in document-rules and schema-findings.

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

/** A value of the document as it appears in a reason: quoted and shortened. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const points = [...text.slice(0, 2 * SHOWN_LENGTH_MAX + 2)];
  return points.length <= SHOWN_LENGTH_MAX ? text : `${points.slice(0, SHOWN_LENGTH_MAX).join('')}…`;
}

/** A list in prose: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
