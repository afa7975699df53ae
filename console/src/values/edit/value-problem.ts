// What the server says of a value, and of which part: of one key of an object, one item of an array, or the whole.

export interface ValueProblem {
  readonly reason: string;
  /** The way into the value; empty for the value as a whole. */
  readonly path: readonly string[];
}

/** `pointer`: a JSON pointer (RFC 6901) into the value. */
export const problemAt = (reason: string, pointer = ''): ValueProblem => ({
  reason,
  path: pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~')),
});

/** The problem of a part of an object or array, seen from that part. */
export function problemOfPart(problem: ValueProblem | undefined, key: string | number): ValueProblem | undefined {
  const [member, part, ...rest] = problem?.path ?? [];
  if (problem === undefined || member !== 'value' || part !== String(key)) return undefined;
  return { reason: problem.reason, path: rest };
}

/** What has to be said of an object or array itself, because none of its parts shows it. */
export function problemOfWhole(problem: ValueProblem | undefined, parts: readonly (string | number)[]) {
  if (problem === undefined || parts.some((part) => problemOfPart(problem, part) !== undefined)) return undefined;
  return problem.reason;
}

const WITH_PARTS = ['Object', 'Array', 'Location'];

/** Said at the value, or left to the editor of its parts. */
export function problemProps(
  type: string,
  problem: ValueProblem | undefined,
): { readonly problem: string | undefined; readonly part: ValueProblem | undefined } {
  if (problem === undefined) return { problem: undefined, part: undefined };
  const inside = problem.path.length > 0 && WITH_PARTS.includes(type);
  return inside ? { problem: undefined, part: problem } : { problem: problem.reason, part: undefined };
}
