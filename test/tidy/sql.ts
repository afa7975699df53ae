// SQL as it stands in the sources: the literals of TypeScript that hold statements or pieces of them, and the
// statements of .sql files.

import { splitStatements } from '../../src/store/database/split-statements.ts';
import { lineAt, scan } from './scan.ts';
import type { File } from './tree.ts';

export interface Sql {
  readonly path: string;
  readonly line: number;
  /** Comments and string constants are emptied; a placeholder is `${…}` with only the words of its expression. */
  readonly text: string;
}

const NAME = String.raw`(?:if\s+(?:not\s+)?exists\s+|concurrently\s+)*["\w.$\x7b\x7d]+`;
const STATEMENTS = [
  String.raw`select\s(?:[\s\S]*?\s)?from\s+[^\s,()]+\s*(?:$|[,;()]|\b(?:as|where|join|left|inner|cross|order|group|limit|for|union|offset)\b)`,
  String.raw`select\s+(?:pg_\w+|set_config|current_setting|now|clock_timestamp|version)\s*\(`,
  String.raw`select\s+[\d$']`,
  String.raw`insert\s+into\s+\S+\s*(?:\(|values\b|select\b|default\b|\$\{)`,
  String.raw`update\s+\S+\s+(?:(?:as\s+)?\w+\s+)?set\s+\S+\s*=`,
  String.raw`delete\s+from\s+\S+\s*(?:$|;|where\b|using\b|as\b|returning\b)`,
  String.raw`with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(`,
  String.raw`create\s+(?:or\s+replace\s+|unique\s+|unlogged\s+|temp\w*\s+)*(?:table|index|schema|extension|sequence|database|trigger|function)\s+${NAME}\s*(?:$|[(;]|\b(?:on|as|with|owner|authorization|template|encoding|after|before|partition)\b)`,
  String.raw`(?:alter|drop)\s+(?:table|index|schema|database|sequence|extension|role)\s+${NAME}\s*(?:$|;|\b(?:add|drop|alter|set|rename|owner|cascade|restrict|attach|detach)\b)`,
  String.raw`(?:begin|commit|rollback)(?:\s+(?:transaction|work|to|isolation|read)\b[\s\S]*)?\s*;?\s*$`,
  String.raw`(?:savepoint|release\s+savepoint)\s+\w+\s*;?\s*$`,
  String.raw`(?:lock|truncate)\s+table\s`,
  String.raw`(?:listen|unlisten|notify)\s+["\w$\x7b\x7d.*]+\s*(?:$|;|,)`,
  String.raw`set\s+(?:local|session)\s+\S+`,
  String.raw`copy\s+\S+[\s\S]*\s(?:from\s+stdin|to\s+stdout)`,
  String.raw`vacuum\b`,
].map((pattern) => new RegExp(String.raw`^\s*${pattern}`, 'i'));

/**
 * Whether a literal is a statement. The first word is written in one case: a sentence for people that begins with
 * `Select` or `Update` is none.
 */
export function isStatement(text: string): boolean {
  const first = /^\s*([a-z]+)/i.exec(text)?.[1] ?? '';
  if (first !== first.toLowerCase() && first !== first.toUpperCase()) return false;
  return STATEMENTS.some((pattern) => pattern.test(text));
}

/** Everything that a rule must not mistake for SQL, emptied. */
function normalized(text: string): string {
  return withoutExpressions(text)
    .replace(/--.*$/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^']|'')*'/g, "''");
}

/** `${f(a.b)}` becomes `${f a.b}`: its words tell what it is, and nothing in it looks like a call in SQL. */
function withoutExpressions(text: string): string {
  let result = '';
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (depth === 0 && text.startsWith('${', at)) {
      depth = 1;
      result += '${';
      at++;
    } else if (depth === 0) result += char;
    else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      result += depth === 0 ? '}' : /[\w.]/.test(char) ? char : ' ';
    }
  }
  return result.replace(/\$\{ *([^{}]*?) *\}/g, (_, words: string) => `\${${words.replace(/ +/g, ' ')}}`);
}

const statementsOf = (text: string): { text: string; line: number }[] =>
  splitStatements(text).map((statement) => ({ text: statement.text, line: lineAt(text, statement.start) }));

/** The statements of a .sql file, or every literal of a TypeScript file: in store/ all of them may be SQL. */
export function sqlIn({ path, text }: File): Sql[] {
  const pieces = path.endsWith('.sql') ? statementsOf(text) : scan(text).literals;
  return pieces.map((piece) => ({ path, line: piece.line, text: normalized(piece.text) }));
}
