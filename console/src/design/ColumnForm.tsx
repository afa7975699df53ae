// The form of one column.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { isReferenceType } from '../../../src/domain/definition/references.ts';
import { mayBeUnique, maySort } from '../../../src/domain/values/value-types.ts';
import { VALUE_TYPES, type ValueTypeName } from '../../../src/wire/values.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { ColumnFormProps } from './column-form-props.ts';
import { typeChange } from './edits.ts';
import { Flag, TextInput } from './fields.tsx';
import { ElementForm, KeysForm } from './KeysForm.tsx';
import { ReferenceForm } from './ReferenceForm.tsx';
import { useFindingSentence } from './use-finding-sentence.ts';

export function ColumnForm(props: ColumnFormProps) {
  const { column, path, problems, isNew, onChange, onNext, onCopy, onRemove } = props;
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const problemAt = (member: string, deep = false) => sentence(problems.at(`${path}/${member}`, deep));
  const { type } = column;
  const types = VALUE_TYPES.map((id) => ({ id, name: t(`types.${id}`) }));
  const typeProblem = problemAt('type');
  return (
    <form className="design-form" aria-label={t('editColumn')} onSubmit={(event) => event.preventDefault()}>
      <TextInput
        label={t('name')}
        value={column.name}
        onChange={(name) => onChange({ name }, `${column.key} name`)}
        problem={problemAt('name')}
        autoFocus={isNew}
        onEnter={onNext}
      />
      <div className="field">
        <Choice
          isInline
          label={t('type')}
          value={type}
          options={types}
          onChange={(id) => onChange(typeChange(column, id as ValueTypeName))}
        />
        <span className="hint">{t('typeHint', { type })}</span>
        {column.id !== undefined && <span className="hint">{t('typeChangeLoses')}</span>}
        {typeProblem !== undefined && <p className="field-problem">{typeProblem}</p>}
      </div>
      {isReferenceType(type) && <ReferenceForm {...props} />}
      {type === 'Array' && <ElementForm {...props} />}
      {(type === 'Object' || (type === 'Array' && column.element === 'Object')) && <KeysForm {...props} />}
      <Flag
        label={t('unique')}
        hint={t(mayBeUnique(type) ? 'uniqueHint' : 'notOfType')}
        isSelected={column.unique}
        isDisabled={!mayBeUnique(type) && !column.unique}
        problem={problemAt('unique')}
        onChange={(unique) => onChange({ unique })}
      />
      <Flag
        label={t('sortable')}
        hint={t(maySort(type) ? 'sortableHint' : 'notOfType')}
        isSelected={column.sortable}
        isDisabled={!maySort(type) && !column.sortable}
        problem={problemAt('sortable')}
        onChange={(sortable) => onChange({ sortable })}
      />
      <Flag
        label={t('searchable')}
        hint={t('searchableHint')}
        isSelected={column.searchable}
        problem={problemAt('searchable')}
        onChange={(searchable) => onChange({ searchable })}
      />
      <p className="hint">
        {t('id')}: {column.id === undefined ? t('idAssigned') : <code>{column.id}</code>}
      </p>
      <div className="dialog-actions">
        <Button className="button" onPress={onCopy}>
          {t('copyColumn')}
        </Button>
        <Button className="button design-remove" onPress={onRemove}>
          {t('removeColumn')}
        </Button>
      </div>
    </form>
  );
}
