// Whether the rows of a collection's table fit a page of PostgreSQL. Values that are sortable, searchable or unique have
// columns of their own besides the text of the record.

import type { Definition } from '../../wire/publish-document.ts';
import { type Projection, projectionsOf } from '../records/projections.ts';
import { type Problem, pointer } from './problems.ts';

/** A row has 8,160 bytes, less the columns that every record has and the null bitmap. */
const ROW_BYTES_MAX = 7_600;
/** A longer text is stored out of line (TOAST); its pointer takes as much. */
const TEXT_BYTES = 27;
const OTHER_BYTES = 8;

const widthOf = ({ kind }: Projection): number => (kind === 'text' || kind === 'json' ? TEXT_BYTES : OTHER_BYTES);

export function widthProblems(definition: Definition): Problem[] {
  const projections = projectionsOf(definition);
  return definition.collections.flatMap(({ id }, index) => {
    const bytes = projections.get(id)?.all.reduce((sum, projection) => sum + widthOf(projection), 0) ?? 0;
    if (bytes <= ROW_BYTES_MAX) return [];
    const reason =
      `its columns are unique, sortable or searchable more often than fits one table: they take ${bytes} of ` +
      `${ROW_BYTES_MAX} bytes (a text ${TEXT_BYTES} for being unique and ${TEXT_BYTES} for being sortable or searchable)`;
    return [{ path: pointer('', 'collections', index), reason }];
  });
}
