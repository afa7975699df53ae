// A search query as a tree of the oracle's own: what is asked, whatever way it is written. It shares nothing with the
// tree in src/, so that a mistake there cannot be repeated here.

/** The unquoted word `me`: the caller. A quoted "me" is the text. */
export const ME = { caller: true } as const;

export type Term = string | typeof ME;
export type Operator = ':' | '=' | '!=' | '<' | '<=' | '>' | '>=';
export const META = ['$createdAt', '$updatedAt', '$createdBy', '$updatedBy', '$id'] as const;

export interface Path {
  /** Identifier of a column, or one of META. */
  readonly column: string;
  readonly key?: string;
}

export interface Criterion {
  readonly kind: 'criterion';
  readonly path: Path;
  readonly operator: Operator;
  /** Absent in `Name=` and `Name!=`. */
  readonly term?: Term;
}

export type Query =
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }
  | { readonly kind: 'bare'; readonly term: string }
  | Criterion;

export const everything: Query = { kind: 'everything' };
export const and = (...parts: Query[]): Query => ({ kind: 'and', parts });
export const or = (...parts: Query[]): Query => ({ kind: 'or', parts });
export const not = (part: Query): Query => ({ kind: 'not', part });
export const bare = (term: string): Query => ({ kind: 'bare', term });

/** `where('cnum0000', '>', '5')`; a key of a column behind a slash: `where('cobject0/street', '=')`. */
export function where(place: string, operator: Operator, term?: Term): Criterion {
  const [column = '', key] = place.split('/');
  return {
    kind: 'criterion',
    path: key === undefined ? { column } : { column, key },
    operator,
    ...(term === undefined ? {} : { term }),
  };
}

/** Queries that ask for less, simplest first: what to try when a query has failed. */
export function simplerThan(query: Query): Query[] {
  switch (query.kind) {
    case 'everything':
      return [];
    case 'bare':
      return halvesOf(query.term).map(bare);
    case 'criterion': {
      const { term, path } = query;
      if (typeof term !== 'string' || path.column.startsWith('$')) return [];
      return halvesOf(term).map((half) => ({ ...query, term: half }));
    }
    case 'not':
      return [query.part, ...simplerThan(query.part).map(not)];
    default:
      return [
        ...query.parts,
        ...query.parts.map((_, index) => ({ ...query, parts: query.parts.filter((_part, other) => other !== index) })),
        ...query.parts.flatMap((part, index) =>
          simplerThan(part).map((simpler) => ({ ...query, parts: query.parts.with(index, simpler) })),
        ),
      ].filter((simpler) => !('parts' in simpler) || simpler.parts.length > 0);
  }
}

/** A long text in two, a short one without its first or last character; never empty, which would be another question. */
function halvesOf(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return [];
  const middle = characters.length > 8 ? Math.floor(characters.length / 2) : 1;
  return [characters.slice(middle), characters.slice(0, middle), characters.slice(1), characters.slice(0, -1)].map(
    (part) => part.join(''),
  );
}
