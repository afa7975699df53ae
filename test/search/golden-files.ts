// The form of the golden files: cases with a search and its settings, and what is expected of it. A new case is a line
// with `search`; the rest of it is written by CARTULARY_TEST_WRITE_GOLDEN=1.

import { prettySql } from '../support/pretty-sql.ts';

export interface GoldenCase {
  /** Lines before the case, as they stand. */
  readonly comment: readonly string[];
  readonly search: string;
  /** The caller's name; Admin unless given. */
  readonly as?: string | undefined;
  readonly zone?: string | undefined;
  /** Why the SQL is left out. */
  readonly brief?: string | undefined;
  /** What follows, as it stands. */
  readonly expected: string;
}

export interface GoldenFile {
  readonly cases: readonly GoldenCase[];
}

const LABEL_WIDTH = 8;
const labelled = (label: string, text: string): string => `${label.padEnd(LABEL_WIDTH)}${text}`.trimEnd();

/** The settings stand before what is expected. */
const SETTINGS = ['search', 'as', 'zone', 'brief'];

export function readGolden(text: string): GoldenFile {
  const cases: GoldenCase[] = [];
  let comment: string[] = [];
  for (const block of text.trimEnd().split(/\n{2,}/)) {
    const lines = block.split('\n');
    comment.push(...lines.filter((line) => line.startsWith('#')));
    const rest = lines.filter((line) => !line.startsWith('#'));
    if (rest.length === 0) {
      comment.push('');
      continue;
    }
    const setting = (label: string) =>
      rest.find((line) => line === label || line.startsWith(`${label} `))?.slice(LABEL_WIDTH);
    const expected = rest.filter((line) => !SETTINGS.includes(line.split(' ', 1)[0]!)).join('\n');
    const [search = '', as, zone, brief] = SETTINGS.map(setting);
    cases.push({ comment, search, as, zone, brief, expected });
    comment = [];
  }
  return { cases };
}

export function writeGolden({ cases }: GoldenFile): string {
  const blocks = cases.map(({ comment, search, as, zone, brief, expected }) =>
    [
      ...comment,
      labelled('search', search),
      ...(as === undefined ? [] : [labelled('as', as)]),
      ...(zone === undefined ? [] : [labelled('zone', zone)]),
      ...(brief === undefined ? [] : [labelled('brief', brief)]),
      expected,
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

export interface Outcome {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly titles: readonly string[];
}

export function expectation({ sql, params, titles }: Outcome, { brief }: GoldenCase): string {
  const found = labelled('finds', titles.length === 0 ? '(none)' : titles.join(' | '));
  if (brief !== undefined) return found;
  return [
    ...prettySql(sql).map((line, index) => labelled(index === 0 ? 'sql' : '', line)),
    ...params.map((value, index) => labelled('', `$${index + 1} = ${JSON.stringify(value)}`)),
    found,
  ].join('\n');
}

export const refusal = (message: string, position: number): string =>
  [labelled('refused', message), labelled('', `at ${position}`)].join('\n');
