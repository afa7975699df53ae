// What an Object holds, and what each element of an Array is.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { SIMPLE_TYPES, type SimpleTypeName } from '../../../src/wire/values.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { ColumnFormProps } from './column-form-props.ts';
import { type DesignedKey, type ElementType, newKey } from './design.ts';
import { removed, shifted } from './edits.ts';
import { TextInput } from './fields.tsx';
import { useFindingSentence } from './use-finding-sentence.ts';

export function ElementForm({ column, onChange }: ColumnFormProps) {
  const t = useTranslations('design');
  const types: readonly ElementType[] = [...SIMPLE_TYPES, 'Object'];
  return (
    <Choice
      isInline
      label={t('element')}
      value={column.element}
      options={types.map((id) => ({ id, name: t(`types.${id}`) }))}
      onChange={(id) => onChange({ element: id as ElementType })}
    />
  );
}

export function KeysForm({ column, path, problems, onChange }: ColumnFormProps) {
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const keysPath = `${path}/scheme/${column.type === 'Array' ? 'element/scheme/' : ''}keys`;
  const { keys } = column;
  const set = (next: readonly DesignedKey[], field?: string) => onChange({ keys: next }, field);
  const change = (key: string, to: Partial<DesignedKey>, field?: string) =>
    set(
      keys.map((each) => (each.key === key ? { ...each, ...to } : each)),
      field,
    );
  const add = () => set([...keys, { key: newKey(), name: '', type: 'String' }]);
  const problem = sentence(problems.at(keysPath));
  return (
    <fieldset className="design-keys">
      <legend>{t('keys')}</legend>
      <ol>
        {keys.map(({ key, name, type }, index) => {
          const number = index + 1;
          return (
            <li key={key}>
              <TextInput
                label={t('keyName', { number })}
                hiddenLabel
                value={name}
                autoFocus={name === '' && index === keys.length - 1}
                onChange={(text) => change(key, { name: text }, `${key} name`)}
                problem={sentence(problems.at(`${keysPath}/${index}/name`))}
                onEnter={add}
              />
              <Choice
                isInline
                label={t('keyType', { number })}
                value={type}
                options={SIMPLE_TYPES.map((id) => ({ id, name: t(`types.${id}`) }))}
                onChange={(id) => change(key, { type: id as SimpleTypeName })}
              />
              <Button
                className="button icon"
                aria-label={t('keyUp', { number })}
                isDisabled={index === 0}
                onPress={() => set(shifted(keys, key, -1))}
              >
                ↑
              </Button>
              <Button
                className="button icon"
                aria-label={t('keyDown', { number })}
                isDisabled={number === keys.length}
                onPress={() => set(shifted(keys, key, 1))}
              >
                ↓
              </Button>
              <Button
                className="button icon"
                aria-label={t('removeKey', { number })}
                onPress={() => set(removed(keys, key))}
              >
                ✕
              </Button>
            </li>
          );
        })}
      </ol>
      {problem !== undefined && <p className="field-problem">{problem}</p>}
      <Button className="button quiet" onPress={add}>
        + {t('addKey')}
      </Button>
    </fieldset>
  );
}
