// Cells of an export that reads like the page: in the words and forms of the person's language, names instead of
// addresses. Numbers stay numbers, for spreadsheets to count with.

import type { RawRecord, RawSimpleValue, RawValue } from '../../../../client/src/shapes.ts';
import type { Cell } from '../../../../src/moving/formats/table.ts';
import { referredText } from '../../values/paste/reference.ts';
import { DAY_FORM, dateOfTime, momentForm, timeForm } from '../../values/show/forms.ts';
import { dateOfDay } from '../../views/days.ts';

export interface ShownForm {
  readonly locale: string;
  readonly timeZone: string;
  readonly yes: string;
  readonly no: string;
  /** The names of what every record has, in the order of the cells. */
  readonly metadata: readonly string[];
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than using it a thousand times. */
function formatted(date: Date, locale: string, form: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([locale, form]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, form);
  formatters.set(key, formatter);
  return formatter.format(date);
}

export function shownCell(value: RawValue | undefined, form: ShownForm): Cell {
  if (value === undefined) return undefined;
  switch (value.type) {
    case 'Number':
      return value.value;
    case 'ReferenceNumber':
      return value.value?.type === 'Number' ? value.value.value : undefined;
    case 'ReferenceString':
    case 'ReferenceUser':
      return referredText(value.value);
    case 'Array':
      return value.value.map((item) => shownText(item, form)).join('; ');
    default:
      return shownText(value, form);
  }
}

function shownText(value: RawSimpleValue | Extract<RawValue, { type: 'Object' }>, form: ShownForm): string {
  const { locale, timeZone, yes, no } = form;
  switch (value.type) {
    case 'Boolean':
      return value.value ? yes : no;
    case 'Date':
      return formatted(dateOfDay(value.value), locale, DAY_FORM);
    case 'Time':
      return formatted(dateOfTime(value.value), locale, timeForm(value.value));
    case 'DateTime': {
      const at = new Date(value.value);
      return formatted(at, locale, { ...momentForm(at), timeZone });
    }
    case 'User':
    case 'Attachment':
      return value.name;
    case 'Location':
      return [value.latitude, value.longitude, ...(value.altitude === undefined ? [] : [value.altitude])].join(', ');
    case 'Object':
      return Object.entries(value.value)
        .map(([key, part]) => `${key}: ${shownText(part, form)}`)
        .join(', ');
    default:
      return String(value.value);
  }
}

export function shownMetadata({ id, createdAt, createdBy, updatedAt, updatedBy }: RawRecord, form: ShownForm): Cell[] {
  const moment = (value: string) => shownText({ type: 'DateTime', value }, form);
  return [id, moment(createdAt), createdBy.name, moment(updatedAt), updatedBy.name];
}
