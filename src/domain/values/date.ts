// Date: a day of the calendar, without time or zone.

import type { DateValue } from '../../wire/values.ts';
import { isCalendarDay } from '../dates/calendar.ts';
import { describe, quoteClipped, readMembers, required, ValueProblem, type ValueType } from './value-type.ts';

const FORM = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

export const dateType: ValueType<DateValue> = {
  name: 'Date',
  members: ['value'],
  required: ['value'],
  sortable: true,
  read(input, { path }) {
    const value = required(readMembers(dateType, input, path), 'value', path);
    if (typeof value !== 'string') {
      throw new ValueProblem(
        `"value" must be a string of the form YYYY-MM-DD, not ${describe(value)}`,
        `${path}/value`,
      );
    }
    const problem = dateProblem(value);
    if (problem !== undefined) throw new ValueProblem(problem, `${path}/value`);
    return { type: 'Date', value };
  },
  uniqueKey: ({ value }) => `=${value}`,
};

function dateProblem(text: string): string | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return `"value" must have the form YYYY-MM-DD; it is ${quoteClipped(text)}`;
  const year = Number(parts[1]);
  if (year === 0) return 'the year must be from 0001 to 9999';
  return isCalendarDay(year, Number(parts[2]), Number(parts[3])) ? undefined : `${text} is not a day of the calendar`;
}
