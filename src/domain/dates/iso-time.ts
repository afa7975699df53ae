// Formats times for storage and replies: ISO 8601 in UTC with milliseconds, which sorts as text.

export const isoTime = (ms: number): string => new Date(ms).toISOString();
