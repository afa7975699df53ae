// What became of a change, at its cell, with what can be done about it.

import { type RefObject, useRef } from 'react';
import { Button, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RawValue } from '../../api/client.ts';
import { ShownValue } from '../../values/show/ShownValue.tsx';
import type { Where } from '../../values/where.ts';
import type { CellEdit } from './cell-edits.ts';
import { useReasonText } from './reason-text.ts';

export interface CellNoteProps {
  readonly edit: CellEdit;
  readonly where: Where;
  readonly onRetry: () => void;
  readonly onEdit: () => void;
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
  /** Back to the grid. */
  readonly onLeave: () => void;
  /** Where the first button is, for Enter. */
  readonly actions: RefObject<HTMLDivElement | null>;
}

export function CellNote(props: CellNoteProps) {
  const { edit, where, onLeave, actions } = props;
  const t = useTranslations('editing');
  const reasonText = useReasonText();
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={anchor} className="grid-editor-anchor" />
      <Popover className="popover grid-note" triggerRef={anchor} isOpen isNonModal placement="bottom start" offset={2}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape leads back to the grid */}
        <div
          ref={actions}
          className="grid-note-body"
          onKeyDown={({ key }) => {
            if (key === 'Escape') onLeave();
          }}
        >
          {edit.state === 'conflict' && edit.theirs !== undefined ? (
            <dl className="grid-note-values">
              <dt>{t('theirs', { name: edit.theirs.by })}</dt>
              <dd>
                <SaidValue value={edit.theirs.value} where={where} />
              </dd>
              <dt>{t('yours')}</dt>
              <dd>
                <SaidValue value={edit.wanted} where={where} />
              </dd>
            </dl>
          ) : (
            <>
              <p>{edit.reason === undefined ? t('notStored') : reasonText(edit.reason)}</p>
              {edit.state === 'refused' && edit.reason?.kind !== 'paste' && edit.wanted !== null && (
                <dl className="grid-note-values">
                  <dt>{t('yours')}</dt>
                  <dd>
                    <SaidValue value={edit.wanted} where={where} />
                  </dd>
                </dl>
              )}
            </>
          )}
          <NoteActions {...props} />
        </div>
      </Popover>
    </>
  );
}

function NoteActions({ edit, onRetry, onEdit, onDiscard, onKeep }: CellNoteProps) {
  const t = useTranslations();
  switch (edit.state) {
    case 'conflict':
      return (
        <div className="grid-editor-actions">
          <Button className="button" onPress={onDiscard}>
            {t('editing.takeTheirs')}
          </Button>
          <Button className="button" onPress={onKeep}>
            {t('editing.keepMine')}
          </Button>
        </div>
      );
    case 'unsent':
      return (
        <div className="grid-editor-actions">
          <Button className="button" onPress={onRetry}>
            {t('common.retry')}
          </Button>
          <Button className="button quiet" onPress={onDiscard}>
            {t('editing.discard')}
          </Button>
        </div>
      );
    default:
      return (
        <div className="grid-editor-actions">
          <Button className="button" onPress={onEdit}>
            {t('editing.editAgain')}
          </Button>
          <Button className="button quiet" onPress={onDiscard}>
            {t('editing.discard')}
          </Button>
        </div>
      );
  }
}

function SaidValue({ value, where }: { readonly value: RawValue | null; readonly where: Where }) {
  const t = useTranslations('editing');
  if (value === null) return <span className="hint">{t('noValue')}</span>;
  return <ShownValue value={value} where={{ ...where, in: 'cell', linked: true }} />;
}
