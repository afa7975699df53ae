// The form of the golden files: cases with a search and its settings, and what is expected of it. A new case is a line
// with `search`; the rest of it is written by CARTULARY_TEST_WRITE_GOLDEN=1.

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

const LINE_MAX = 100;

/** In one line where it fits; else what stands in parentheses is indented, one part of an `and` or `or` in each line. */
export function prettySql(sql: string, indent = ''): string[] {
  const line = sql.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
  if (indent.length + line.length <= LINE_MAX) return [indent + line];
  const parts = splitParts(line);
  if (parts.length > 1) return parts.flatMap((part) => prettySql(part, indent));
  const open = line.indexOf('(');
  const close = open === -1 ? -1 : closing(line, open);
  if (close === -1 || close - open < LINE_MAX / 2) return [indent + line];
  const inside = prettySql(line.slice(open + 1, close), `${indent}  `);
  return [indent + line.slice(0, open + 1), ...inside, indent + line.slice(close)];
}

/** At every `and` or `or` outside of parentheses, which begins the next part. */
function splitParts(line: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '(') depth += 1;
    if (line[at] === ')') depth -= 1;
    const word = depth === 0 && at > start ? /^ (?:and|or|where) /.exec(line.slice(at, at + 7)) : null;
    const afterBetween = /between \S+$/.test(line.slice(start, at));
    if (word === null || afterBetween) continue;
    parts.push(line.slice(start, at));
    start = at + 1;
  }
  return [...parts, line.slice(start)];
}

function closing(line: string, open: number): number {
  let depth = 0;
  for (let at = open; at < line.length; at += 1) {
    if (line[at] === '(') depth += 1;
    if (line[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
