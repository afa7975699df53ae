import { useTranslations } from 'use-intl';
import { useZone, viewerZone } from '../../messages/time-zone.tsx';
import { localText, momentOf } from '../../views/days.ts';
import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

/** In the application's time zone, which is said to those who are in another one. */
export function EditDateTime({ column, value, onChange, problem }: EditProps) {
  const t = useTranslations('common');
  const zone = useZone();
  const text = value?.type === 'DateTime' ? localText(new Date(value.value), zone).slice(0, 19) : '';
  const change = (local: string) =>
    onChange(local === '' ? undefined : { type: 'DateTime', value: momentOf(local, zone).toISOString() });
  return (
    <TextEditor
      kind="datetime-local"
      step="1"
      label={column.name}
      text={text}
      onText={change}
      problem={problem}
      hint={zone === viewerZone() ? undefined : t('inZone', { zone })}
    />
  );
}
