import type { RawObjectValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';
import { ShownValue } from './ShownValue.tsx';

/** More do not fit into a cell. */
const CELL_KEYS = 6;

/** Keys that the scheme does not have come last: a value may be older than the scheme. */
const inOrder = (value: RawObjectValue['value'], keys: readonly string[] = []) => {
  const places = new Map(keys.map((key, index) => [key, index]));
  const placeOf = (key: string) => places.get(key) ?? keys.length;
  return Object.entries(value).toSorted(([one], [other]) => placeOf(one) - placeOf(other));
};

export function ShowObject({ value: { value }, where }: ShowProps<RawObjectValue>) {
  const entries = inOrder(value, where.keys);
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
