// What is wrong with a search, in the person's language. It is loaded after the page: reading a search takes the whole
// grammar.

import type { CollectionDefinition } from '../api/client.ts';
import { withBooleans } from './booleans.ts';
import { problemOf } from './problems.ts';
import { codePointsBefore, type ProblemKind, readSearch } from './reading.ts';

export interface ServerProblem {
  readonly message: string;
  /** Counts code points. */
  readonly position: number;
}

export interface Told {
  readonly at: number;
  /** What the page can say itself, or what the server said. */
  readonly kind: ProblemKind | undefined;
  readonly message: string;
  /** It was searched for; before that it may still be mended. */
  readonly final: boolean;
}

/** As the server reads it. */
export const asWritten = (text: string, { columns }: CollectionDefinition): string => withBooleans(text, columns);

export const isReadable = (text: string, { columns }: CollectionDefinition): boolean =>
  problemOf(text, readSearch(text), columns) === undefined;

/** The server has the last word on what was searched for; while somebody types, the page says what it can tell. */
export function toldOf(
  text: string,
  { columns }: CollectionDefinition,
  refused: ServerProblem | undefined,
): Told | undefined {
  const local = problemOf(text, readSearch(text), columns);
  if (refused !== undefined) {
    // The page says the same in the language of the person.
    const same = local !== undefined && codePointsBefore(text, local.at) === refused.position;
    const at = Array.from(text).slice(0, refused.position).join('').length;
    return { at, kind: same ? local.kind : undefined, message: refused.message, final: true };
  }
  if (local === undefined || local.unfinished) return undefined;
  return { at: local.at, kind: local.kind, message: '', final: false };
}
