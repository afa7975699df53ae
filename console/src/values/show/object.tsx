import type { RawObjectValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShownValue } from './ShownValue.tsx';

/** More do not fit into a cell. */
const CELL_KEYS = 6;

export function ShowObject({ value: { value }, where }: ShowProps<RawObjectValue>) {
  const entries = Object.entries(value);
  if (where.in === 'cell') {
    return (
      <span className="value-parts">
        {entries.slice(0, CELL_KEYS).map(([key, part]) => (
          <span key={key} className="value-part">
            <span className="value-key">{key}</span> <ShownValue value={part} where={where} />
          </span>
        ))}
      </span>
    );
  }
  return (
    <dl className="value-object">
      {entries.map(([key, part]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>
            <ShownValue value={part} where={where} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
