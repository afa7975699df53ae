// How days, times and moments are written, on the page and in files that read like it.

/** A day has no time zone: it is the same day wherever it is looked at. */
export const DAY_FORM = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const;

const SECONDS = { second: '2-digit' } as const;

export const timeForm = (time: string) =>
  ({ hour: '2-digit', minute: '2-digit', ...(time.endsWith(':00') ? {} : SECONDS), timeZone: 'UTC' }) as const;

export const momentForm = (at: Date) =>
  ({
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(at.getTime() % 60_000 === 0 ? {} : SECONDS),
  }) as const;

/** For a formatter that is told to use UTC. */
export const dateOfTime = (time: string): Date => new Date(`1970-01-01T${time}Z`);
