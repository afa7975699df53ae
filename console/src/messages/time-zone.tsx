// Times of an application are shown in its time zone, to everybody the same.

import type { ReactNode } from 'react';
import { IntlProvider, useLocale, useMessages, useTimeZone } from 'use-intl';

let zone: string | undefined;

/** Of the person who looks. Read once: browsers take as long for it as for drawing a cell. */
export function viewerZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

/** Of the application; on pages that belong to none, of the viewer. */
export const useZone = (): string => useTimeZone() ?? viewerZone();

interface InTimeZoneProps {
  readonly timeZone: string;
  readonly children: ReactNode;
}

export function InTimeZone({ timeZone, children }: InTimeZoneProps) {
  return (
    <IntlProvider locale={useLocale()} messages={useMessages()} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}
