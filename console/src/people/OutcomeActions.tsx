// What to do after many people were created: take the links along, or begin anew.

import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { writeTable } from '../grid/edit/clipboard-table.ts';
import type { PastedPerson } from './pasted-people.ts';
import type { Outcomes } from './use-many-people.ts';

interface OutcomeActionsProps {
  readonly people: readonly PastedPerson[];
  readonly outcomes: Outcomes;
  readonly onAgain: () => void;
}

export function OutcomeActions({ people, outcomes, onAgain }: OutcomeActionsProps) {
  const t = useTranslations('people');
  const [copied, setCopied] = useState(false);
  const rows = people.flatMap(({ line, values: { name, email } }) => {
    const outcome = outcomes.get(line);
    return outcome?.kind === 'linked' ? [[text(name), text(email), outcome.link]] : [];
  });
  const table = writeTable([[t('name'), t('email'), t('link')], ...rows]);
  // The links are shown nowhere else, so they can also be saved where there is no clipboard.
  const file = `data:text/tab-separated-values;charset=utf-8,${encodeURIComponent(table)}`;
  return (
    <>
      {rows.length > 0 && navigator.clipboard !== undefined && (
        <Button
          className="button primary"
          onPress={() => void navigator.clipboard.writeText(table).then(() => setCopied(true))}
        >
          {copied ? t('copied') : t('copyLinks', { count: rows.length })}
        </Button>
      )}
      {rows.length > 0 && (
        <a className="button" href={file} download="people.tsv">
          {t('saveLinks')}
        </a>
      )}
      <Button className="button" onPress={onAgain}>
        {t('again')}
      </Button>
    </>
  );
}

/** A name that a spreadsheet would calculate stays a name. */
const text = (cell: string): string => (/^[=+\-@]/.test(cell) ? `'${cell}` : cell);
