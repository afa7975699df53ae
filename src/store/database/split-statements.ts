// Splits the text of a migration into its statements: a Citus cluster refuses several in one message (42601).

export interface SplitStatement {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
}

/** What may hold a semicolon that ends no statement, and the semicolon itself. */
const TOKENS = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g;
const OPENING = /^(?:\s|--.*|\/\*[\s\S]*?\*\/)*/;

/** Each without the comments before it and without its semicolon. */
export function splitStatements(text: string): SplitStatement[] {
  const ends = [...text.matchAll(TOKENS)].filter(([token]) => token === ';').map(({ index }) => index);
  return [...ends, text.length].flatMap((end, index) => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
    const start = from + (OPENING.exec(text.slice(from, end))?.[0].length ?? 0);
    return start === end ? [] : [{ text: text.slice(start, end).trimEnd(), start }];
  });
}
