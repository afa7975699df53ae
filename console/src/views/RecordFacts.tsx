// A few values of a record, for a card: those that people put first.

import type { CollectionDefinition, ColumnDefinition, RawRecord } from '../api/client.ts';
import { titleColumnOf } from '../record/title.ts';
import { ShownValue } from '../values/show/ShownValue.tsx';
import type { Where } from '../values/where.ts';
import './kinds.css';

/** A card has no room for these. */
const LARGE: ReadonlySet<ColumnDefinition['type']> = new Set(['Object', 'Array', 'Attachment']);

interface RecordFactsProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
  readonly max: number;
  /** The column that the place of the card already tells. */
  readonly without?: string | undefined;
}

export function RecordFacts({ application, collection, record, max, without }: RecordFactsProps) {
  const title = titleColumnOf(collection, record);
  const where: Where = { application, collection: collection.id, in: 'cell', linked: true };
  const shown = collection.columns
    .filter(({ id, type }) => id !== title?.id && id !== without && !LARGE.has(type))
    .flatMap(({ id, name }) => {
      const value = record.values[id];
      return value === undefined ? [] : [{ id, name, value }];
    })
    .slice(0, max);
  if (shown.length === 0) return null;
  return (
    <dl className="record-facts">
      {shown.map(({ id, name, value }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>
            <ShownValue value={value} where={where} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
