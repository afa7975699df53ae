// The search language knows true and false; people write what the page shows.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { readBoolean } from '../values/paste/boolean.ts';
import { criteriaIn, readSearch } from './reading.ts';
import { findSubject } from './subjects.ts';

/** The search with what was written for yes and no as the language writes it. */
export function withBooleans(text: string, columns: readonly ColumnDefinition[]): string {
  const { syntax } = readSearch(text);
  if (syntax === undefined) return text;
  let written = text;
  for (const { name, term } of [...criteriaIn(syntax)].reverse()) {
    const subject = findSubject(columns, name);
    if (term === undefined || typeof subject === 'string' || subject.type !== 'Boolean') continue;
    const word = booleanWord(term.text);
    if (word !== undefined) written = written.slice(0, term.start) + word + written.slice(term.end);
  }
  return written;
}

/** In any of the console's languages. */
export function booleanWord(text: string): 'true' | 'false' | undefined {
  const read = readBoolean(text, { locale: 'en', timeZone: 'UTC', yes: 'yes', no: 'no' });
  if (!('value' in read) || read.value.type !== 'Boolean') return undefined;
  return read.value.value ? 'true' : 'false';
}
