// Whether a collection's table can hold its records. What is sorted, searched or unique is kept beside the record's text
// in columns of their own, and a row of PostgreSQL has room for so many only.

import type { Definition } from '../../wire/publish-document.ts';
import { type Projection, projectionsOf } from '../records/projections.ts';
import { type Problem, pointer } from './problems.ts';

/** A row has 8,160 bytes; what every record has takes some of them, and each column its bit. */
const ROOM_BYTES = 7_600;
/** Longer texts are kept elsewhere, and take as much for the note where. */
const TEXT_BYTES = 27;
const OTHER_BYTES = 8;

const widthOf = ({ kind }: Projection): number => (kind === 'text' || kind === 'json' ? TEXT_BYTES : OTHER_BYTES);

export function widthProblems(definition: Definition): Problem[] {
  const projections = projectionsOf(definition);
  return definition.collections.flatMap(({ id }, index) => {
    const bytes = projections.get(id)?.all.reduce((sum, projection) => sum + widthOf(projection), 0) ?? 0;
    if (bytes <= ROOM_BYTES) return [];
    const reason =
      `its columns are unique, sortable or searchable more often than fits one table: they take ${bytes} of ` +
      `${ROOM_BYTES} bytes (a text ${TEXT_BYTES} for being unique and ${TEXT_BYTES} for being sortable or searchable)`;
    return [{ path: pointer('', 'collections', index), reason }];
  });
}
