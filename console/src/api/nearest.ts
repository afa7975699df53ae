// What somebody means by what they type, before the rest of what is found: the whole name, its beginning, that of a word.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { quoted } from './list-query.ts';

const folded = (text: string): string => text.normalize('NFKC').toLocaleLowerCase().trim();

function distance(name: string, typed: string): number {
  const at = folded(name).indexOf(typed);
  if (at < 0) return 4;
  if (at === 0) return folded(name) === typed ? 0 : 1;
  return /(?<![\p{L}\p{N}])$/u.test(folded(name).slice(0, at)) ? 2 : 3;
}

/** The nearest first; what is equally near stays in its order. */
export function nearestFirst<One extends { readonly name: string }>(
  found: readonly One[],
  typed: string,
): readonly One[] {
  const wanted = folded(typed);
  if (wanted === '') return found;
  return [...found]
    .map((one) => ({ one, far: distance(one.name, wanted) }))
    .sort((a, b) => a.far - b.far)
    .map(({ one }) => one);
}

/** After every text that begins as another. */
const LAST = '\u{10FFFD}';

/** The search for values that begin as typed: words alone find so many records that the one that is meant may be missing. */
export function beginningSearch(column: ColumnDefinition | undefined, typed: string): string | undefined {
  if (column?.searchable !== true || typed === '') return undefined;
  if (column.type === 'String') return `$${column.id}>=${quoted(typed)} $${column.id}<${quoted(typed + LAST)}`;
  return column.type === 'Number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(typed) ? `$${column.id}=${typed}` : undefined;
}
