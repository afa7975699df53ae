// The search as chips, for people who prefer clicking: each is a condition that can be changed or removed.

import { lazy, Suspense } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import type { Opened } from '../frame/Opener.tsx';
import { addCondition, type Condition, chipsOf, firstCondition, replaceChip } from './chips.ts';
import { usePhrase } from './names.ts';
import { subjectsOf } from './subjects.ts';

const ChipEditor = lazy(async () => ({ default: (await import('./ChipEditor.tsx')).ChipEditor }));

interface ChipsProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly text: string;
  /** Searches for the changed text. */
  readonly onChange: (text: string) => void;
}

/** The popover of the button that adds a condition. */
export function AddedChip({
  opened,
  application,
  collection,
  text,
  onChange,
}: ChipsProps & { readonly opened: Opened }) {
  const t = useTranslations('search');
  const [first] = subjectsOf(collection.columns);
  return (
    <Editing
      opened={opened}
      application={application}
      collection={collection}
      label={t('addFilter')}
      condition={firstCondition(first!)}
      onApply={(condition) => onChange(addCondition(text, condition))}
    />
  );
}

export function Chips({ application, collection, text, onChange }: ChipsProps) {
  const t = useTranslations('search');
  const phraseOf = usePhrase();
  const chips = chipsOf(text, collection.columns);
  if (chips.length === 0) return null;
  return (
    <ul className="search-chips" aria-label={t('filters')}>
      {chips.map((chip) => {
        const { sentence, ...parts } = phraseOf(chip);
        const name = sentence === undefined ? parts.value : t.markup(sentence, written(parts));
        return (
          <li key={`${chip.start} ${name}`} className={`chip ${chip.kind === 'text' ? 'as-text' : ''}`}>
            <DialogTrigger>
              <Button className="chip-text" aria-label={t('editFilter', { text: name })}>
                {sentence !== undefined && t.rich(sentence, shown(parts))}
                {sentence === undefined && (chip.kind === 'text' ? <code>{name}</code> : name)}
              </Button>
              <Editing
                application={application}
                collection={collection}
                label={t('editFilter', { text: name })}
                condition={chip}
                onApply={(condition) => onChange(replaceChip(text, chip, condition))}
              />
            </DialogTrigger>
            <Button
              className="chip-remove"
              aria-label={t('removeFilter', { text: name })}
              onPress={() => onChange(replaceChip(text, chip, undefined))}
            >
              ×
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

type Parts = Omit<ReturnType<ReturnType<typeof usePhrase>>, 'sentence'>;

const written = ({ subject, relation, value }: Parts) => ({
  subject: () => subject,
  relation: () => relation,
  value: () => value,
});

const shown = ({ subject, relation, value }: Parts) => ({
  subject: () => <span className="chip-subject">{subject}</span>,
  relation: () => <span className="hint">{relation}</span>,
  value: () => <span className="chip-value">{value}</span>,
});

interface EditingProps {
  /** Unless a trigger around it says so. */
  readonly opened?: Opened;
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly label: string;
  readonly condition: Condition;
  readonly onApply: (condition: Condition) => void;
}

function Editing({ opened, application, collection, label, condition, onApply }: EditingProps) {
  return (
    <Popover {...opened} className="popover chip-popover" placement="bottom start">
      <Dialog aria-label={label} className="chip-dialog">
        {({ close }) => (
          <Suspense>
            <ChipEditor
              application={application}
              collection={collection}
              condition={condition}
              onApply={(changed) => {
                close();
                opened?.onOpenChange(false);
                onApply(changed);
              }}
            />
          </Suspense>
        )}
      </Dialog>
    </Popover>
  );
}
