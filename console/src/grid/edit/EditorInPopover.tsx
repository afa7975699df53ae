// The editor of a cell in a popover, for what needs more than a line.

import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button, Dialog, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ColumnDefinition, RawValue } from '../../api/client.ts';
import { EditedValue } from '../../values/edit/EditedValue.tsx';
import { type CellEditorProps, STAY } from './cell-editor.ts';

/** With these a choice is all there is to do. */
const CHOSEN: ReadonlySet<ColumnDefinition['type']> = new Set([
  'User',
  'ReferenceString',
  'ReferenceNumber',
  'ReferenceUser',
]);

export function EditorInPopover({ column, value, onValue, problem, where, onStore, onLeave }: CellEditorProps) {
  const t = useTranslations();
  const anchor = useRef<HTMLSpanElement>(null);
  const settled = useRef(false);

  function end(work: () => void): void {
    if (settled.current) return;
    settled.current = true;
    work();
  }
  function change(next: RawValue | undefined): void {
    onValue(next);
    if (next !== undefined && CHOSEN.has(column.type)) end(() => onStore(next, STAY));
  }
  function onKeyDown(event: React.KeyboardEvent): void {
    const { target, key } = event;
    if (key === 'Escape' && !isListOpen(target)) end(onLeave);
    const stores = key === 'Enter' && target instanceof HTMLInputElement && !isListOpen(target);
    if (!stores || event.nativeEvent.isComposing) return;
    event.preventDefault();
    end(() => onStore(value, { rows: 1, columns: 0 }));
  }

  return (
    <>
      <span ref={anchor} className="grid-editor-anchor" />
      <Popover
        className="popover grid-editor-popover"
        triggerRef={anchor}
        isOpen
        placement="bottom start"
        offset={0}
        onOpenChange={(open) => {
          if (!open) end(() => onStore(value, STAY));
        }}
      >
        <Dialog className="grid-editor-dialog" aria-label={t('editing.cell', { name: column.name })}>
          <FocusedFields onKeyDown={onKeyDown}>
            <EditedValue
              column={column}
              value={value}
              onChange={change}
              problem={problem}
              where={{ ...where, in: 'page' }}
            />
            <div className="grid-editor-actions">
              <Button className="button primary" onPress={() => end(() => onStore(value, STAY))}>
                {t('editing.store')}
              </Button>
              <Button className="button quiet" onPress={() => end(onLeave)}>
                {t('common.cancel')}
              </Button>
            </div>
          </FocusedFields>
        </Dialog>
      </Popover>
    </>
  );
}

interface FocusedFieldsProps {
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
  readonly children: ReactNode;
}

/** The first field has the focus before the key that opened it is typed. */
function FocusedFields({ onKeyDown, children }: FocusedFieldsProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const found = (fields: string) => place.current?.querySelector<HTMLElement>(fields);
    (found('input:checked') ?? found('input:not([type=file]), textarea, button'))?.focus();
  }, []);
  return (
    <div ref={place} className="grid-editor-fields" onKeyDownCapture={onKeyDown}>
      {children}
    </div>
  );
}

/** Of a field in which something is found by typing: the keys choose from its list then. */
const isListOpen = (target: EventTarget): boolean =>
  target instanceof Element && target.getAttribute('aria-expanded') === 'true';
