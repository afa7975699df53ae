// What stands for a referred record in an exported file: the value of a column that finds it again, or its ID.

import type { RawOperations } from '../../../client/src/operation-types.ts';
import type {
  ApplicationDefinition as Application,
  ColumnDefinition as Column,
  RawRecord,
} from '../../../client/src/shapes.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import type { Cell } from '../formats/table.ts';
import type { Patience } from '../import/patience.ts';
import { isReference, type WireValue } from '../values/cell-values.ts';

const REMEMBERED_MAX = 100_000;
/** A query has at most 64 criteria and 4,096 characters. */
const IDS_MAX = 60;

export interface ReferredValues {
  /** Reads what the records of a page refer to. */
  prepare(records: readonly RawRecord[]): Promise<void>;
  cellOf(column: Column, value: WireValue): Cell;
}

export interface Referring {
  readonly raw: RawOperations;
  readonly application: Pick<Application, 'collections'>;
  readonly columns: readonly Column[];
  /** By the ID of the reference column: a column of the referred collection. */
  readonly by: ReadonlyMap<string, Column>;
  readonly form: 'id' | 'value' | undefined;
  readonly patience: Patience;
}

export function referredValues({ raw, application, columns, by, form, patience }: Referring): ReferredValues {
  const known = new Map([...by.keys()].map((id) => [id, new BoundedMap<string, Cell>(REMEMBERED_MAX)]));
  const byValue = new Set(columns.filter((column) => isShownByValue(application, column, form)).map(({ id }) => id));
  return {
    async prepare(records) {
      for (const column of columns) {
        const target = by.get(column.id);
        const values = known.get(column.id);
        if (target === undefined || values === undefined || !isReference(column)) continue;
        const ids = records.flatMap(({ values: all }) => (all[column.id] as WireValue | undefined)?.recordId ?? []);
        const unknown = [...new Set(ids as string[])].filter((id) => values.get(id) === undefined);
        for (let at = 0; at < unknown.length; at += IDS_MAX) {
          const search = unknown
            .slice(at, at + IDS_MAX)
            .map((id) => `$id=${id}`)
            .join(' OR ');
          const { collectionId } = column.scheme;
          const { body } = await patience.withRetries(() => raw.listRecords({ collectionId, search, limit: 100 }));
          for (const record of body) values.set(record.id, bareValue(record.values[target.id]));
        }
      }
    },
    cellOf(column, value) {
      const chosen = known.get(column.id)?.get(String(value.recordId));
      if (chosen !== undefined) return chosen;
      const own = byValue.has(column.id) ? bareValue(value.value) : undefined;
      return own ?? value.recordId;
    },
  };
}

/** By default only where the value finds the record again. */
function isShownByValue(
  { collections }: Pick<Application, 'collections'>,
  column: Column,
  form: Referring['form'],
): boolean {
  if (!isReference(column) || form === 'id') return false;
  if (form === 'value') return true;
  const { collectionId, columnId } = column.scheme;
  const referred = collections.find(({ id }) => id === collectionId)?.columns.find(({ id }) => id === columnId);
  return referred?.unique === true && referred.searchable && column.type !== 'ReferenceUser';
}

function bareValue(given: unknown): Cell {
  const value = given as WireValue | undefined;
  if (value === undefined) return undefined;
  if (value.type.startsWith('Reference')) return bareValue(value.value);
  return value.type === 'User' ? value.name : value.value;
}
