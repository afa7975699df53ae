// Where in a design a problem is: by the path of the document, at a field or anywhere below an item.

import type { DocumentFinding } from '../../../src/domain/definition/findings.ts';
import type { Design } from './design.ts';

export interface ProblemPlaces {
  readonly all: readonly DocumentFinding[];
  /** The first of a field; `deep` also of what is below it. */
  at(path: string, deep?: boolean): DocumentFinding | undefined;
  has(path: string): boolean;
}

export function placesOf(findings: readonly DocumentFinding[]): ProblemPlaces {
  const fields = new Map<string, DocumentFinding>();
  const above = new Map<string, DocumentFinding>();
  for (const finding of findings) {
    if (!fields.has(finding.path)) fields.set(finding.path, finding);
    const steps = finding.path.split('/');
    for (let length = 1; length <= steps.length; length += 1) {
      const path = steps.slice(0, length).join('/');
      if (!above.has(path)) above.set(path, finding);
    }
  }
  return {
    all: findings,
    at: (path, deep = false) => (deep ? above : fields).get(path),
    has: (path) => above.has(path),
  };
}

export interface ProblemPlace {
  /** What a person knows it by. */
  readonly names: readonly string[];
  readonly collection?: string;
  readonly column?: string;
}

/** Which collection and column a path names. */
export function placeOf(path: string, { collections }: Design): ProblemPlace {
  const [, part, first, member, second] = path.split('/');
  const collection = part === 'collections' ? collections[Number(first)] : undefined;
  if (collection === undefined) return { names: [] };
  const column = member === 'columns' ? collection.columns[Number(second)] : undefined;
  if (column === undefined) return { names: [collection.name], collection: collection.key };
  return { names: [collection.name, column.name], collection: collection.key, column: column.key };
}
