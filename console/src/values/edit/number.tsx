import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { numberOf, numberText } from '../number-text.ts';
import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

export function EditNumber({ column, value, onChange, problem }: EditProps) {
  const t = useTranslations('values');
  const locale = useLocale();
  const number = value?.type === 'Number' ? value.value : undefined;
  const written = number === undefined ? '' : numberText(number, locale);
  const [text, setText] = useState(written);
  const unreadable = text.trim() !== '' && numberOf(text, locale) === undefined;
  // What is typed stays as it is typed, as long as it means the value.
  const shown = unreadable || numberOf(text, locale) === number ? text : written;
  function change(entered: string): void {
    setText(entered);
    const read = numberOf(entered, locale);
    if (entered.trim() === '' || read !== undefined)
      onChange(read === undefined ? undefined : { type: 'Number', value: read });
  }
  return (
    <TextEditor
      kind="text"
      label={column.name}
      text={shown}
      onText={change}
      problem={unreadable ? t('notANumber') : problem}
    />
  );
}
