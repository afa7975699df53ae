// SQL laid out for reading: one line where it fits, else a line for each clause and each part of an `and` or `or`.

const LINE_MAX = 100;

const CLAUSES = [
  ...['select', 'from', 'join', 'left join', 'cross join', 'where', 'group by', 'order by', 'limit', 'for update'],
  ...['union all', 'values', 'set', 'using', 'on conflict', 'do update', 'do nothing', 'returning'],
];
const CLAUSE = new RegExp(`^(?:${CLAUSES.join('|')})\\b`);
const CONNECTIVE = /^(?:and|or)\b/;
const BRANCH = /^(?:when|else|end)\b/;

type IsSplit = (rest: string, before: string) => boolean;

const isElement: IsSplit = (_, before) => before.endsWith(',');
/** The `and` of a `between` is none. */
const isPart: IsSplit = (rest, before) => CLAUSE.test(rest) || (CONNECTIVE.test(rest) && !/between \S+$/.test(before));

export function prettySql(sql: string, indent = ''): string[] {
  const line = sql.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
  if (indent.length + line.length <= LINE_MAX) return [indent + line];
  const parts = split(line, isPart);
  if (parts.length > 1) return layOut(parts, CONNECTIVE, indent);
  const elements = split(line, isElement);
  if (elements.length > 1) return fill(elements, indent);
  const branches = split(line, (rest) => BRANCH.test(rest), { inCase: true });
  if (branches.length > 1) return layOut(branches, /^(?:when|else)\b/, indent);
  const outermost = longestParentheses(line);
  return outermost === undefined ? [indent + line] : prettyParentheses(line, outermost, indent);
}

/** Those that are `deeper` belong to the clause before them. */
function layOut(parts: readonly string[], deeper: RegExp, indent: string): string[] {
  const first = parts.findIndex((part) => CLAUSE.test(part) || /\bcase$/.test(part));
  return parts.flatMap((part, index) =>
    prettySql(part, first !== -1 && index > first && deeper.test(part) ? `${indent}  ` : indent),
  );
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function prettyParentheses(line: string, { start, end }: Range, indent: string): string[] {
  const inside = prettySql(line.slice(start + 1, end), `${indent}  `);
  const [first = '', ...others] = prettySql(line.slice(end + 1), indent);
  const rest = first.trimStart();
  const closing = `${indent})${rest === '' || rest.startsWith(',') || rest.startsWith(')') ? '' : ' '}${rest}`;
  return [indent + line.slice(0, start + 1), ...inside, closing, ...others];
}

/** The elements of a list, in lines as long as they may be. */
function fill(elements: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const element of elements) {
    const last = lines.at(-1);
    const joined = `${last} ${element}`;
    if (last !== undefined && !last.endsWith('),') && joined.length <= LINE_MAX) lines[lines.length - 1] = joined;
    else lines.push(...prettySql(element, lines.length === 0 || last?.trim() === '),' ? indent : `${indent}  `));
  }
  return lines;
}

/** At the spaces outside of parentheses, quotation marks and, unless `inCase`, `case`, where `isSplit` says so. */
function split(line: string, isSplit: IsSplit, { inCase = false } = {}): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { at, parentheses, cases } of characters(line)) {
    if (line[at] !== ' ' || at <= start || parentheses !== 0 || (cases !== 0 && !inCase)) continue;
    if (!isSplit(line.slice(at + 1), line.slice(start, at))) continue;
    parts.push(line.slice(start, at));
    start = at + 1;
  }
  return [...parts, line.slice(start)];
}

/** The longest of the outermost outside of `case`, unless it is short. */
function longestParentheses(line: string): Range | undefined {
  let longest: Range | undefined;
  let start = 0;
  for (const { at, parentheses, cases } of characters(line)) {
    if (cases !== 0) continue;
    if (line[at] === '(' && parentheses === 1) start = at;
    if (line[at] !== ')' || parentheses !== 0) continue;
    if (at - start > (longest === undefined ? LINE_MAX / 2 : longest.end - longest.start)) longest = { start, end: at };
  }
  return longest;
}

/** The characters outside of quotation marks, each with the parentheses and cases that are open after it. */
function* characters(line: string): Generator<{ at: number; parentheses: number; cases: number }> {
  let [parentheses, cases] = [0, 0];
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      continue;
    }
    if (character === "'" || character === '"') quote = character;
    if (character === '(') parentheses += 1;
    if (character === ')') parentheses -= 1;
    if (isWord(line, at, 'case')) cases += 1;
    if (isWord(line, at, 'end')) cases -= 1;
    yield { at, parentheses, cases };
  }
}

const isWord = (line: string, at: number, word: string): boolean =>
  line.startsWith(word, at) && !/\w/.test(line[at - 1] ?? ' ') && !/\w/.test(line[at + word.length] ?? ' ');
