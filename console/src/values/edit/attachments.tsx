import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ShowAttachment } from '../show/attachment.tsx';
import { arrayOf, type Item, itemsOf, movedItem, withItems } from './array-items.ts';
import type { EditProps } from './edit-props.ts';
import { ItemActions } from './ItemActions.tsx';
import { UploadArea } from './upload/UploadArea.tsx';

/** An array of files: many can be dropped or chosen at once. */
export function EditAttachments({ column, value, onChange, problem, part, where }: EditProps) {
  const t = useTranslations('values');
  const [items, setItems] = useState<readonly Item[]>(() => itemsOf(value));
  // Uploads end at any time, also two at once: each adds to what is there then.
  const latest = useRef(items);
  function set(next: readonly Item[]): void {
    latest.current = next;
    setItems(next);
    onChange(arrayOf(next));
  }
  return (
    <UploadArea
      label={column.name}
      column={column.id}
      where={where}
      problem={problem ?? part?.reason}
      many
      chooseLabel={t('chooseFiles')}
      onStored={(metadata) => set(withItems(latest.current, [{ type: 'Attachment', ...metadata }]))}
    >
      {items.length > 0 && (
        <ol className="drop-items">
          {items.map(({ key, value: item }, index) => (
            <li key={key} className="nested-item">
              {item?.type === 'Attachment' && <ShowAttachment value={item} where={where} />}
              <ItemActions
                number={index + 1}
                count={items.length}
                onMove={(by) => set(movedItem(items, index, index + by))}
                onRemove={() => set(items.filter((each) => each.key !== key))}
              />
            </li>
          ))}
        </ol>
      )}
    </UploadArea>
  );
}
