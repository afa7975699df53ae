import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RawArrayValue, RawValue } from '../../api/client.ts';
import { EditedValue } from './EditedValue.tsx';
import type { EditProps } from './edit-props.ts';
import { partColumn } from './part-column.ts';

interface Item {
  /** Keeps what is typed with its item when others go. */
  readonly key: number;
  /** Undefined: not filled in yet, and not stored. */
  readonly value: RawValue | undefined;
}

/** A list of editors. Without an item there is no array. */
export function EditArray({ column, value, onChange, problem, where }: EditProps) {
  const t = useTranslations('values');
  const [items, setItems] = useState<readonly Item[]>(() =>
    (value?.type === 'Array' ? value.value : []).map((item, key) => ({ key, value: item })),
  );
  if (column.type !== 'Array') return null;
  const { element } = column.scheme;
  function set(next: readonly Item[]): void {
    setItems(next);
    const values = next.flatMap((item) => (item.value === undefined ? [] : [item.value])) as RawArrayValue['value'];
    onChange(values.length === 0 ? undefined : { type: 'Array', value: values });
  }
  const nextKey = Math.max(-1, ...items.map(({ key }) => key)) + 1;
  return (
    <fieldset className="nested">
      <legend className="label">{column.name}</legend>
      {problem !== undefined && <span className="field-problem">{problem}</span>}
      {items.map(({ key, value: item }, index) => (
        <div key={key} className="nested-item">
          <EditedValue
            column={partColumn(t('item', { number: index + 1 }), element.type, element.scheme)}
            value={item}
            onChange={(changed) => set(items.map((each) => (each.key === key ? { key, value: changed } : each)))}
            problem={undefined}
            where={where}
          />
          <Button
            className="button icon"
            aria-label={t('removeItem', { number: index + 1 })}
            onPress={() => set(items.filter((each) => each.key !== key))}
          >
            ×
          </Button>
        </div>
      ))}
      <div>
        <Button className="button" onPress={() => set([...items, { key: nextKey, value: undefined }])}>
          {t('addItem')}
        </Button>
      </div>
    </fieldset>
  );
}
