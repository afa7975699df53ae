// A query as text, in any of the spellings that mean the same: AND or white space, `-` or NOT, quoted or bare, a name
// or `$` and the identifier, more parentheses than needed.

import type { Criterion, Path, Query, Term } from './query.ts';
import type { Column } from './world.ts';

/** How to choose where there is a choice. */
export interface Taste {
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The same plain spelling every time. */
export const PLAIN: Taste = { chance: () => false, pick: (list) => list[0]! };

const BLANKS = [' ', ' ', ' ', '  ', '\t', '\n', ' \n '];
const KEYWORDS = ['AND', 'OR', 'NOT'];
/** Which node may stand where without parentheses: a part of OR, of AND, behind NOT. */
const STRENGTH = { or: 0, and: 1, not: 2, bare: 3, criterion: 3, everything: 3 } as const;

export function spell(query: Query, columns: readonly Column[], taste: Taste): string {
  if (query.kind === 'everything') return taste.pick(['', '', ' ', '\t']);
  const text = spellNode(query, 0, columns, taste);
  return taste.chance(0.05) ? `${taste.pick(BLANKS)}${text}${taste.pick(BLANKS)}` : text;
}

function spellNode(query: Query, strength: number, columns: readonly Column[], taste: Taste): string {
  if (STRENGTH[query.kind] < strength || taste.chance(0.04)) {
    const inner = spellNode(query, 0, columns, taste);
    return taste.chance(0.2) ? `(${taste.pick(BLANKS)}${inner}${taste.pick(BLANKS)})` : `(${inner})`;
  }
  const blank = () => taste.pick(BLANKS);
  switch (query.kind) {
    case 'or': {
      const parts = query.parts.map((part) => spellNode(part, 1, columns, taste));
      return parts.reduce((left, right) => `${left}${blank()}OR${blank()}${right}`);
    }
    case 'and': {
      // An AND within an AND needs no parentheses, and a first part that is one changes nothing.
      const parts = query.parts.map((part) => spellNode(part, taste.chance(0.5) ? 1 : 2, columns, taste));
      return parts.reduce((left, right) => {
        if (taste.chance(0.4)) return `${left}${blank()}AND${blank()}${right}`;
        return left.endsWith(')') && right.startsWith('(') && taste.chance(0.3)
          ? left + right
          : `${left}${blank()}${right}`;
      });
    }
    case 'not': {
      const part = spellNode(query.part, 3, columns, taste);
      if (taste.chance(0.5)) return `-${part}`;
      return part.startsWith('(') && taste.chance(0.3) ? `NOT${part}` : `NOT${blank()}${part}`;
    }
    case 'bare':
      return spellTerm(query.term, taste, /^-/);
    case 'criterion':
      return spellCriterion(query, columns, taste);
    case 'everything':
      throw new Error('only a whole query can be empty');
  }
}

function spellCriterion({ path, operator, term }: Criterion, columns: readonly Column[], taste: Taste): string {
  // A bare `me` is the caller where a user is asked for.
  const spelled = term === undefined ? '' : spellTerm(term, taste, /^me$/);
  return spellPath(path, columns, taste) + operator + spelled;
}

function spellPath({ column: columnId, key }: Path, columns: readonly Column[], taste: Taste): string {
  const tail = key === undefined ? '' : `.${spellTerm(key, taste, /[.$-]/)}`;
  if (columnId.startsWith('$')) return columnId + tail;
  const name = columns.find(({ id }) => id === columnId)?.name;
  const isShared = columns.filter((other) => other.name === name).length > 1;
  // `a.b` is the column of that name before it is key b of column a.
  const isTaken = key !== undefined && columns.some((other) => other.name === `${name}.${key}`);
  if (name === undefined || isShared || isTaken || taste.chance(0.25)) return `$${columnId}${tail}`;
  return spellTerm(name, taste, key === undefined ? /^[$-]/ : /^[$-]|\./) + tail;
}

/** Bare where it may be, quoted where it must. */
function spellTerm(term: Term, taste: Taste, mustQuote: RegExp): string {
  if (typeof term !== 'string') return 'me';
  const mayBeBare = /^[^\s()":=!<>]+$/u.test(term) && !KEYWORDS.includes(term) && !mustQuote.test(term);
  return mayBeBare && !taste.chance(0.25) ? term : `"${term.replace(/["\\]/g, '\\$&')}"`;
}
