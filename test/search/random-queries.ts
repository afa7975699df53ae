// Random queries about the columns of a collection: mostly such that may be asked, now and then one that must be refused.

import { problemOf } from './oracle/matches.ts';
import { LeftOpen } from './oracle/moments.ts';
import { heldAt, type PlaceType, placeType } from './oracle/places.ts';
import { bare, type Criterion, everything, META, not, type Operator, type Path, type Query } from './oracle/query.ts';
import type { Atom, Column, Setting, StoredRecord } from './oracle/world.ts';
import type { Random } from './random.ts';
import { keysTerm, randomTerm } from './random-terms.ts';

export interface Ground {
  readonly path: Path;
  readonly type: PlaceType;
  /** What records hold there. */
  readonly atoms: readonly Atom[];
}

/** Every path that a query may name, with what can be found at it. */
export function groundsOf(records: readonly StoredRecord[], setting: Setting): Ground[] {
  return [...META.map((column) => ({ column })), ...setting.columns.flatMap(pathsOf)].flatMap((path) => {
    const type = placeType(path, setting.columns);
    if (type === undefined) return [];
    return [{ path, type, atoms: records.flatMap((record) => heldAt(path, record, setting).atoms) }];
  });
}

function pathsOf({ id, scheme }: Column): Path[] {
  const keys = scheme?.keys ?? scheme?.element?.scheme?.keys ?? [];
  return [{ column: id }, ...keys.map(({ name }) => ({ column: id, key: name }))];
}

export function randomQuery(random: Random, grounds: readonly Ground[], setting: Setting): Query {
  if (random.chance(0.01)) return everything;
  if (random.chance(0.08)) return manyTerms(random, grounds, setting);
  const refused = random.chance(0.03);
  const query = randomTree(random, random.weighted([4, 0], [3, 1], [2, 2], [1, 3]), () =>
    randomLeaf(random, grounds, setting),
  );
  return refused ? { kind: 'and', parts: [query, wrongCriterion(random, grounds, setting)] } : query;
}

function randomTree(random: Random, depth: number, leaf: () => Query): Query {
  if (depth === 0) return leaf();
  const part = () => randomTree(random, random.integer(0, depth - 1), leaf);
  const kind = random.pick(['and', 'and', 'and', 'or', 'or', 'not'] as const);
  return kind === 'not' ? not(part()) : { kind, parts: random.list(random.pick([2, 2, 3, 4]), part) };
}

/** Beyond a handful of terms the search text is read otherwise (store/records/search-texts). */
function manyTerms(random: Random, grounds: readonly Ground[], setting: Setting): Query {
  const term = (): Query => {
    for (;;) {
      const leaf = randomLeaf(random, grounds, setting);
      if (leaf.kind === 'bare' || (leaf.kind === 'criterion' && leaf.operator === ':') || random.chance(0.05))
        return leaf;
    }
  };
  const part = (): Query => {
    const form = random.weighted([6, 'not'], [1, 'or'], [1, 'term'] as const);
    if (form === 'term') return term();
    const inner: Query = form === 'or' || random.chance(0.3) ? { kind: 'or', parts: [term(), term()] } : term();
    return form === 'not' ? not(inner) : inner;
  };
  return { kind: random.pick(['and', 'and', 'or']), parts: random.list(random.integer(6, 16), part) };
}

const ORDERED: readonly Operator[] = [':', '=', '=', '!=', '<', '<=', '>', '>='];

function randomLeaf(random: Random, grounds: readonly Ground[], setting: Setting): Query {
  for (;;) {
    const leaf = random.chance(0.25) ? randomBare(random, grounds, setting) : randomCriterion(random, grounds, setting);
    if (isSettled(leaf, setting)) return leaf;
  }
}

/** May be asked, and the text says what it means. */
function isSettled(query: Query, setting: Setting): boolean {
  try {
    return problemOf(query, setting) === undefined;
  } catch (error) {
    if (error instanceof LeftOpen) return false;
    throw error;
  }
}

function randomBare(random: Random, grounds: readonly Ground[], setting: Setting): Query {
  const columns = grounds.filter(({ path, type }) => !path.column.startsWith('$') && type !== 'Location');
  return bare(keysTerm(random, random.pick(columns).atoms, setting, false));
}

function randomCriterion(random: Random, grounds: readonly Ground[], setting: Setting): Criterion {
  const ground = random.pick(grounds);
  const { path, type } = ground;
  const kind = 'criterion';
  if (random.chance(0.1)) return { kind, path, operator: random.pick(['=', '!=']) };
  if (random.chance(0.03)) return { kind, path, operator: ':', term: '' };
  const isIdentifier = path.column === '$id';
  const operator = type === 'Keys' || type === 'Location' ? ':' : random.pick(ORDERED);
  // Whole identifiers: whether `$id:` means a part of one is not said.
  const term = isIdentifier
    ? random.pick(ground.atoms.flatMap((atom) => (atom.type === 'String' ? atom.value : [])))
    : randomTerm(random, ground, operator, setting);
  return { kind, path, operator, term };
}

const WRONG_TERMS = ['alpha', '東京', '5 apples', '0x10', '2024-02-30', '25:00'];

/** An unknown or unsearchable column, a term of another type, an operator that the column does not take. */
function wrongCriterion(random: Random, grounds: readonly Ground[], setting: Setting): Criterion {
  const kind = 'criterion';
  const hidden = setting.columns.filter(({ searchable }) => searchable !== true).map(({ id }) => ({ column: id }));
  const nowhere: Path = random.pick([...hidden, { column: 'cnowhere' }]);
  for (;;) {
    const wrong = random.weighted<() => Criterion>(
      [2, () => ({ kind, path: nowhere, operator: random.pick(ORDERED), term: 'alpha' })],
      [1, () => ({ kind, path: random.pick(grounds).path, operator: random.pick([':', '<', '>=']) })],
      [
        4,
        () => ({
          kind,
          path: random.pick(grounds).path,
          operator: random.pick(ORDERED),
          term: random.pick(WRONG_TERMS),
        }),
      ],
    )();
    try {
      if (problemOf(wrong, setting) !== undefined) return wrong;
    } catch (error) {
      if (!(error instanceof LeftOpen)) throw error;
    }
  }
}
