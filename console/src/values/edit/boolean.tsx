import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { EditProps } from './edit-props.ts';

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
