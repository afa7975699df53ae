// The form of a record: an editor for each column. What others changed meanwhile is shown beside what was typed.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawRecord, RawValue } from '../api/client.ts';
import { EditedValue } from '../values/edit/EditedValue.tsx';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { useDraft } from './draft.ts';
import { useSaving } from './saving.ts';

interface RecordFormProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  /** Who types: drafts are theirs. */
  readonly userId: string;
  /** The record as the server has it; undefined for a new one. */
  readonly record: RawRecord | undefined;
  readonly onSaved: (record: RawRecord) => void;
  readonly onLeave: () => void;
  /** The record has to be read again: somebody else has changed it. */
  readonly onConflict: () => void;
}

export function RecordForm(props: RecordFormProps) {
  const { application, collection, userId, record, onSaved, onLeave, onConflict } = props;
  const t = useTranslations('record');
  const draft = useDraft(`${userId}.${record?.id ?? collection.id}`);
  const { problems, busy, save } = useSaving({ application, collection: collection.id }, record);
  const where = { application, collection: collection.id, in: 'page' } as const;

  function change(column: ColumnDefinition, value: RawValue | undefined): void {
    const { [column.id]: _, ...others } = draft.changes;
    const same = JSON.stringify(value) === JSON.stringify(record?.values[column.id]);
    draft.set(same ? others : { ...others, [column.id]: value ?? null });
  }

  async function submit(): Promise<void> {
    const stored = await save(draft.changes);
    if (stored === undefined) return;
    draft.clear();
    onSaved(stored);
  }

  const whole = problems.whole ?? (draft.restored ? t('restored') : undefined);
  return (
    <form
      className="record-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p role="alert" className={`message ${problems.whole === undefined ? '' : 'wrong'}`}>
        {whole}
      </p>
      {problems.conflict && (
        <Button className="button" onPress={onConflict}>
          {t('reload')}
        </Button>
      )}
      {collection.columns.map((column) => {
        const changed = column.id in draft.changes;
        const stored = record?.values[column.id];
        const value = changed ? (draft.changes[column.id] ?? undefined) : stored;
        return (
          <div key={column.id}>
            <EditedValue
              column={column}
              value={value}
              onChange={(next) => change(column, next)}
              problem={problems.fields[column.id]}
              where={where}
            />
            {changed && stored !== undefined && (
              <p className="hint record-stored">
                {t('stored')} <ShownValue value={stored} where={{ ...where, in: 'cell' }} />
              </p>
            )}
          </div>
        );
      })}
      <div className="record-actions">
        <Button type="submit" className="button primary" isPending={busy} isDisabled={isEmpty(draft.changes)}>
          {t('save')}
        </Button>
        <Button
          className="button quiet"
          onPress={() => {
            draft.clear();
            onLeave();
          }}
        >
          {t(isEmpty(draft.changes) ? 'leave' : 'discard')}
        </Button>
      </div>
    </form>
  );
}

const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;
