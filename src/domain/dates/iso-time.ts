// Times as they are stored and told: ISO 8601 in UTC with milliseconds, which compares as text.

export const isoTime = (ms: number): string => new Date(ms).toISOString();
