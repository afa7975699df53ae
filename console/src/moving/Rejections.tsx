// The rows that cannot be stored: the first of them with their reasons, and all of them as a file.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RejectedRow } from '../../../src/moving/import/journal.ts';
import { useProblemSentence } from './failure-sentence.ts';
import { saveBlob } from './save-blob.ts';
import type { Importing } from './use-import.ts';

const SHOWN = 50;

interface RejectionsProps {
  readonly importing: Importing;
  readonly rejected: readonly RejectedRow[];
  /** More than are listed. */
  readonly all: number;
}

export function Rejections({ importing, rejected, all }: RejectionsProps) {
  const t = useTranslations('moving');
  const sentence = useProblemSentence();
  const reasonOf = ({ problems }: RejectedRow) => problems.map(sentence).join('; ');
  async function download(): Promise<void> {
    const blob = await importing.rejectedFile(new Map(rejected.map((row) => [row.row, reasonOf(row)])));
    const name = importing.chosen?.file.name.replace(/\.[^.]*$/, '') ?? '';
    if (blob !== undefined) saveBlob(blob, t('rejectedName', { name }));
  }
  return (
    <div className="moving-part">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section className="moving-scroll moving-rejected" tabIndex={0} aria-label={t('reason')}>
        <table className="moving-table">
          <thead>
            <tr>
              <th scope="col">{t('line')}</th>
              <th scope="col">{t('reason')}</th>
            </tr>
          </thead>
          <tbody>
            {rejected.slice(0, SHOWN).map((row) => (
              <tr key={row.row}>
                <th scope="row">{row.line}</th>
                <td>{reasonOf(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all > SHOWN && <p className="hint">{t('moreRejected', { count: all - SHOWN })}</p>}
      <p className="hint">{t('rejectedHint')}</p>
      <Button className="button moving-use" onPress={() => void download()}>
        {t('download')}
      </Button>
    </div>
  );
}
