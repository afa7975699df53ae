import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import { TextEditor } from './Field.tsx';
import type { ShowProps } from './where.ts';

type NumberValue = Extract<RawSimpleValue, { type: 'Number' }>;

/** All digits that a number has: what is shown is what is stored. */
const EVERY_DIGIT = { maximumFractionDigits: 20 } as const;
/** Beyond these, grouped digits are harder to read than an exponent. */
const PLAIN_MAX = 1e15;
const PLAIN_MIN = 1e-6;

export function ShowNumber({ value: { value } }: ShowProps<NumberValue>) {
  const format = useFormatter();
  const size = Math.abs(value);
  const plain = size === 0 || (size < PLAIN_MAX && size >= PLAIN_MIN);
  return <span className="value-number">{plain ? format.number(value, EVERY_DIGIT) : String(value)}</span>;
}

/** A number as people type it: with the decimal sign of their language or a point. */
export function numberOf(text: string, locale: string): number | undefined {
  const comma = new Intl.NumberFormat(locale).format(1.5).includes(',');
  const plain = comma ? text.replaceAll(/[.\s]/g, '').replace(',', '.') : text.replaceAll(/[,\s]/g, '');
  const number = Number(plain.normalize('NFKC'));
  return plain === '' || !Number.isFinite(number) ? undefined : number;
}

export function EditNumber({ column, value, onChange, problem }: EditProps) {
  const t = useTranslations('values');
  const locale = useLocale();
  const number = value?.type === 'Number' ? value.value : undefined;
  const written =
    number === undefined ? '' : new Intl.NumberFormat(locale, { ...EVERY_DIGIT, useGrouping: false }).format(number);
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
