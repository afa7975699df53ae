import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import { viewerZone } from '../../messages/time-zone.tsx';
import type { ShowProps } from '../where.ts';
import { momentForm } from './forms.ts';
import { titled } from './titled.ts';

type DateTimeValue = Extract<RawSimpleValue, { type: 'DateTime' }>;

export function ShowDateTime({ value: { value } }: ShowProps<DateTimeValue>) {
  return <Moment at={value} />;
}

/** A moment in the application's time zone. Resting on it tells it in full, in the viewer's as well, and in UTC. */
export function Moment({ at }: { readonly at: string }) {
  const format = useFormatter();
  const date = new Date(at);
  const inFull = () => {
    const whole = { dateStyle: 'full', timeStyle: 'long' } as const;
    const zones = [format.dateTime(date, whole), format.dateTime(date, { ...whole, timeZone: viewerZone() }), at];
    return [...new Set(zones)].join('\n');
  };
  return (
    <time dateTime={at} className="value-moment" onPointerEnter={titled(inFull)}>
      {format.dateTime(date, momentForm(date))}
    </time>
  );
}
