import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { RawSimpleValue } from '../api/client.ts';
import type { EditProps } from './edit.ts';
import type { ShowProps } from './where.ts';

type BooleanValue = Extract<RawSimpleValue, { type: 'Boolean' }>;

export function ShowBoolean({ value: { value }, where }: ShowProps<BooleanValue>) {
  const t = useTranslations('common');
  const word = t(value ? 'yes' : 'no');
  return (
    <span className={`value-boolean ${value ? 'on' : ''}`}>
      <svg width="16" height="16" viewBox="0 0 16 16" role="img" aria-label={word}>
        <rect x="1.5" y="1.5" width="13" height="13" rx="3.5" />
        {value && <path d="m4.5 8.2 2.4 2.4 4.6-5" />}
      </svg>
      {where.in === 'page' && <span aria-hidden="true">{word}</span>}
    </span>
  );
}

/** Three answers: a column without a value is neither yes nor no. */
export function EditBoolean({ column, value, onChange }: EditProps) {
  const t = useTranslations('common');
  const chosen = value?.type === 'Boolean' ? String(value.value) : 'none';
  const change = (answer: string) =>
    onChange(answer === 'none' ? undefined : { type: 'Boolean', value: answer === 'true' });
  return (
    <RadioGroup className="field" value={chosen} onChange={change} orientation="horizontal">
      <Label>{column.name}</Label>
      <div className="choices">
        {(['true', 'false', 'none'] as const).map((answer) => (
          <Radio key={answer} value={answer} className="choice">
            {t(({ true: 'yes', false: 'no', none: 'none' } as const)[answer])}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
