import { useFormatter } from 'use-intl';
import type { RawSimpleValue } from '../../api/client.ts';
import type { ShowProps } from '../where.ts';

type DateTimeValue = Extract<RawSimpleValue, { type: 'DateTime' }>;

export function ShowDateTime({ value: { value } }: ShowProps<DateTimeValue>) {
  return <Moment at={value} />;
}

/** A moment in the viewer's time zone. Hovering tells it with zone and in UTC. */
export function Moment({ at }: { readonly at: string }) {
  const format = useFormatter();
  const date = new Date(at);
  const seconds = date.getTime() % 60_000 === 0 ? {} : ({ second: '2-digit' } as const);
  const shown = format.dateTime(date, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...seconds,
  });
  const exact = `${format.dateTime(date, { dateStyle: 'full', timeStyle: 'long' })}\n${at}`;
  return (
    <time dateTime={at} title={exact} className="value-moment">
      {shown}
    </time>
  );
}
