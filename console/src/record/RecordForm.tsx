// The form of a record: an editor for each column. What others changed meanwhile is shown beside what was typed.

import { useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawRecord, RawValue } from '../api/client.ts';
import { isFocusLost } from '../frame/lost-focus.ts';
import { EditedValue } from '../values/edit/EditedValue.tsx';
import { UploadsUnderWay, useUploadCount } from '../values/edit/upload/under-way.ts';
import { problemProps } from '../values/edit/value-problem.ts';
import { sameValue } from '../values/same-value.ts';
import { ConflictDialog } from './ConflictDialog.tsx';
import type { Changes } from './changes.ts';
import { differencesOf } from './conflict.ts';
import { useDraft } from './draft.ts';
import { useRecordKeys } from './record-keys.ts';
import { type SaveBase, useSaving } from './saving.ts';

interface RecordFormProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  /** Of the user who types, and the record or collection. */
  readonly draftPlace: string;
  /** The record as the server has it; undefined for a new one. */
  readonly record: RawRecord | undefined;
  /** Values that a new record begins with. */
  readonly given?: Changes;
  readonly onSaved: (record: RawRecord) => void;
  /** What was typed stays, unless it was discarded. */
  readonly onLeave: () => void;
  /** The record has to be read again: somebody else has changed it. */
  readonly onOutdated?: () => Promise<unknown>;
  /** The record is gone: what was typed becomes a new one. */
  readonly onGone?: (changes: Changes) => void;
}

export function RecordForm(props: RecordFormProps) {
  const { application, collection, draftPlace, record, given, onSaved, onLeave, onOutdated, onGone } = props;
  const t = useTranslations('record');
  const draft = useDraft(draftPlace, given);
  const { problems, busy, save } = useSaving({ application, collection: collection.id });
  const [comparing, setComparing] = useState(false);
  const uploads = useUploadCount();
  const [waits, setWaits] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const where = { application, collection: collection.id, in: 'page' } as const;
  const unchanged = Object.keys(draft.changes).length === 0;
  const outdated = record !== undefined && draft.base !== undefined && draft.base.hash !== record.hash;
  // The first field takes the focus, unless a list would open there over the form.
  useEffect(() => {
    if (!isFocusLost() && document.activeElement?.matches('main h1') !== true) return;
    const [first] = form.current?.querySelectorAll<HTMLElement>('input, textarea, [role="spinbutton"], button') ?? [];
    if (first?.matches('input:not([role="combobox"]), textarea, [role="spinbutton"]')) first.focus();
  }, []);
  // Where the first refused value is, people go on.
  useEffect(() => {
    if (Object.keys(problems.fields).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);

  function change(column: ColumnDefinition, value: RawValue | undefined): void {
    const { [column.id]: _, ...others } = draft.changes;
    const same = sameValue(value, record?.values[column.id]);
    draft.set(same ? others : { ...others, [column.id]: value ?? null }, record);
  }

  async function submit(changes: Changes, base: SaveBase): Promise<void> {
    const stored = await save(changes, base);
    if (stored !== undefined) {
      draft.clear();
      onSaved(stored);
    }
  }

  async function submitDraft(): Promise<void> {
    if (busy) return;
    setWaits(uploads.count > 0);
    if (unchanged || uploads.count > 0) return;
    if (outdated) setComparing(true);
    else await submit(draft.changes, record && { id: record.id, hash: draft.base?.hash ?? record.hash });
  }

  // Saved while files were on their way: it goes on when the last one is stored, as a value of the draft, or was cancelled.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there are none left
  useEffect(() => {
    if (waits && uploads.count === 0) void submitDraft();
  }, [uploads.count]);

  async function compare(): Promise<void> {
    await onOutdated?.();
    setComparing(true);
  }
  useRecordKeys({ onSave: () => void submitDraft(), onLeave });

  // Another tab has stored or discarded the draft: what is stored now is what counts.
  const { arrivals } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each arrival
  useEffect(() => {
    if (arrivals > 0 && unchanged) void onOutdated?.();
  }, [arrivals]);

  // Refused because somebody else was quicker: the record is read again, and both sides are shown.
  const { outdated: refusal } = problems;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    if (refusal === 'changed') void compare();
  }, [problems]);

  const whole =
    (waits ? t('waitsForFiles') : problems.whole) ??
    (outdated ? t('conflict') : draft.restored ? t('restored') : undefined);
  return (
    <form
      ref={form}
      className="record-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submitDraft();
      }}
    >
      <p role="alert" className={`message ${problems.whole === undefined && !outdated ? '' : 'wrong'}`}>
        {whole}
      </p>
      {outdated && (
        <Button className="button" onPress={() => setComparing(true)}>
          {t('compare')}
        </Button>
      )}
      {refusal === 'gone' && onGone !== undefined && (
        <Button className="button" onPress={() => onGone({ ...record?.values, ...draft.changes })}>
          {t('asNew')}
        </Button>
      )}
      <UploadsUnderWay value={uploads.report}>
        {collection.columns.map((column) => {
          const changed = draft.changes[column.id];
          const value = changed === undefined ? record?.values[column.id] : (changed ?? undefined);
          return (
            <EditedValue
              key={`${column.id} ${draft.arrivals}`}
              column={column}
              value={value}
              onChange={(next) => change(column, next)}
              {...problemProps(column.type, problems.fields[column.id])}
              where={where}
            />
          );
        })}
      </UploadsUnderWay>
      <div className="record-actions">
        <Button type="submit" className="button primary" isPending={busy} isDisabled={unchanged && uploads.count === 0}>
          {t('save')}
        </Button>
        <Button
          className="button quiet"
          onPress={() => {
            draft.clear();
            onLeave();
          }}
        >
          {t(unchanged ? 'leave' : 'discard')}
        </Button>
      </div>
      {comparing && record !== undefined && draft.base !== undefined && (
        <ConflictDialog
          differences={differencesOf(collection.columns, { changes: draft.changes, base: draft.base }, record)}
          record={record}
          where={where}
          onClose={() => setComparing(false)}
          onDecide={(changes) => {
            setComparing(false);
            draft.rebase(changes, record);
            if (Object.keys(changes).length === 0) onLeave();
            else void submit(changes, record);
          }}
        />
      )}
    </form>
  );
}
