// The first rows as they will be stored, with what cannot be marked where it stands.

import { useTranslations } from 'use-intl';
import type { CollectionDefinition, RawValue } from '../api/client.ts';
import { ShownValue } from '../values/show/ShownValue.tsx';
import { type Where, whereIn } from '../values/where.ts';
import type { Choices } from './choices.ts';
import { useProblemSentence } from './failure-sentence.ts';
import type { Importing } from './use-import.ts';
import type { PreviewCell } from './work.ts';

interface PreviewProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly importing: Importing;
  readonly choices: Choices;
}

export function Preview({ application, collection, importing, choices }: PreviewProps) {
  const t = useTranslations('moving');
  const sentence = useProblemSentence();
  const { preview, chosen } = importing;
  if (preview === undefined || preview.length === 0) return null;
  // In the order of the file, as the rows of the preview have them.
  const columns = (chosen?.look.header ?? []).flatMap((name) => {
    const column = collection.columns.find(({ id }) => id === choices.columns[name]);
    return column === undefined ? [] : [column];
  });
  const where: Where = { application, collection: collection.id, in: 'cell', linked: true };
  return (
    <section className="moving-part" aria-labelledby="moving-preview">
      <h2 id="moving-preview">{t('preview')}</h2>
      <p className="hint">{t('previewHint', { count: preview.length })}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section className="moving-scroll moving-preview" tabIndex={0} aria-labelledby="moving-preview">
        <table className="moving-table">
          <thead>
            <tr>
              <th scope="col">{t('line')}</th>
              {columns.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map(({ line, cells, problems }) => (
              <tr key={line}>
                <th scope="row">
                  {line}
                  {problems.map((problem) => (
                    <span key={problem.code} className="moving-problem">
                      {sentence(problem)}
                    </span>
                  ))}
                </th>
                {columns.map((column, at) => (
                  <td key={column.id} className={cells[at]?.problems.length ? 'moving-wrong' : undefined}>
                    {cells[at] !== undefined && (
                      <Cell cell={cells[at]} where={whereIn(column, where)} sentence={sentence} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface CellProps {
  readonly cell: PreviewCell;
  readonly where: Where;
  readonly sentence: ReturnType<typeof useProblemSentence>;
}

function Cell({ cell: { value, text, problems }, where, sentence }: CellProps) {
  if (problems.length > 0) {
    return problems.map(({ code, params }) => (
      <span key={code} className="moving-problem">
        {sentence({ code, params })}
      </span>
    ));
  }
  if (text !== undefined) return <span>{text}</span>;
  return value === undefined ? null : <ShownValue value={value as unknown as RawValue} where={where} />;
}
