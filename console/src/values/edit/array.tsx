import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { arrayOf, ITEMS_MAX, type Item, itemsOf, movedItem, storedIndex, withItems } from './array-items.ts';
import { EditAttachments } from './attachments.tsx';
import { EditedValue } from './EditedValue.tsx';
import type { EditProps } from './edit-props.ts';
import { ItemActions } from './ItemActions.tsx';
import { partColumn } from './part-column.ts';
import { problemOfPart, problemOfWhole, problemProps } from './value-problem.ts';

export function EditArray(props: EditProps) {
  if (props.column.type !== 'Array') return null;
  const { element } = props.column.scheme;
  return element.type === 'Attachment' ? <EditAttachments {...props} /> : <EditItems {...props} element={element} />;
}

interface EditItemsProps extends EditProps {
  readonly element: Extract<EditProps['column'], { type: 'Array' }>['scheme']['element'];
}

/** A list of editors. */
function EditItems({ column, value, onChange, problem, part, where, element }: EditItemsProps) {
  const t = useTranslations('values');
  const [items, setItems] = useState<readonly Item[]>(() => itemsOf(value));
  function set(next: readonly Item[]): void {
    setItems(next);
    onChange(arrayOf(next));
  }
  const problemOf = (index: number) => problemOfPart(part, storedIndex(items, index) ?? '');
  const said = problem ?? problemOfWhole(part, [...(value?.type === 'Array' ? value.value : []).keys()]);
  return (
    <fieldset className="nested">
      <legend className="label">{column.name}</legend>
      {said !== undefined && <span className="field-problem">{said}</span>}
      {items.map(({ key, value: item }, index) => (
        <div key={key} className="nested-item">
          <EditedValue
            column={partColumn(t('item', { number: index + 1 }), element.type, element.scheme)}
            value={item}
            onChange={(changed) => set(items.map((each) => (each.key === key ? { key, value: changed } : each)))}
            {...problemProps(element.type, problemOf(index))}
            where={where}
          />
          <ItemActions
            number={index + 1}
            count={items.length}
            onMove={(by) => set(movedItem(items, index, index + by))}
            onRemove={() => set(items.filter((each) => each.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button
          className="button"
          isDisabled={items.length >= ITEMS_MAX}
          onPress={() => set(withItems(items, [undefined]))}
        >
          {t('addItem')}
        </Button>
      </div>
    </fieldset>
  );
}
