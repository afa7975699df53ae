// What a Reference column refers to: a collection, and the column of it that shows a record.

import { useTranslations } from 'use-intl';
import { REFERRED_TYPES } from '../../../src/domain/definition/references.ts';
import type { ReferenceTypeName } from '../../../src/wire/values.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { ColumnFormProps } from './column-form-props.ts';
import { useFindingSentence } from './use-finding-sentence.ts';

const NONE = 'none';

export function ReferenceForm({ design, column, path, problems, onChange }: ColumnFormProps) {
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const wanted = REFERRED_TYPES[column.type as ReferenceTypeName];
  const target = design.collections.find(({ key }) => key === column.refers?.collection);
  const columns = target?.columns.filter(({ type }) => type === wanted) ?? [];
  const shownBy = columns.some(({ key }) => key === column.refers?.column) ? column.refers?.column : undefined;
  const problem = sentence(problems.at(`${path}/scheme`, true));

  function refer(key: string): void {
    const chosen = design.collections.find((each) => each.key === key);
    // The first that fits, preferably one that tells records apart.
    const fitting = chosen?.columns.filter(({ type }) => type === wanted) ?? [];
    const shown = fitting.find(({ unique }) => unique) ?? fitting[0];
    onChange({ refers: { collection: key, column: shown?.key ?? '' } });
  }

  const none = { id: NONE, name: t('choose') };
  return (
    <div className="field">
      <Choice
        isInline
        label={t('refersTo')}
        value={target?.key ?? NONE}
        options={[...(target === undefined ? [none] : []), ...named(design.collections, t('untitled'))]}
        onChange={(key) => key !== NONE && refer(key)}
      />
      {target !== undefined && columns.length > 0 && (
        <Choice
          isInline
          label={t('shownBy')}
          value={shownBy ?? NONE}
          options={[...(shownBy === undefined ? [none] : []), ...named(columns, t('untitled'))]}
          onChange={(key) => key !== NONE && onChange({ refers: { collection: target.key, column: key } })}
        />
      )}
      {target !== undefined && columns.length === 0 ? (
        <p className="field-problem">{t('noTarget', { type: t(`types.${wanted}`) })}</p>
      ) : (
        problem !== undefined && <p className="field-problem">{problem}</p>
      )}
    </div>
  );
}

const named = (items: readonly { readonly key: string; readonly name: string }[], untitled: string) =>
  items.map(({ key, name }) => ({ id: key, name: name.trim() === '' ? untitled : name }));
