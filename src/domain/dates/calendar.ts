// The proleptic Gregorian calendar, as far as Date and DateTime share it. No time zones and no clock.

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether the month has that day. Any year is accepted: 0000 is a leap year like any other. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  const days = DAYS[month - 1];
  if (days === undefined || day < 1) return false;
  return day <= (month === 2 && isLeapYear(year) ? 29 : days);
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
