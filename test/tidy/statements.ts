// Statements of formatted code, found by indentation: enough to say what is inside of a function, and how long it is.

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The lines of the statement that begins on line `first`. The code is what `scan` gives: without comments and literals. */
export function statementAt(lines: readonly string[], first: number): string[] {
  const indent = indentOf(lines[first] ?? '');
  let end = first + 1;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (line.trim() === '' || indentOf(line) > indent) continue;
    const closes = indentOf(line) === indent && /^\s*[)}\]]/.test(line);
    if (!closes) break;
    // A signature of several lines, before its body.
    if (/(?:[{(,]|=>)$/.test(line)) continue;
    end++;
    break;
  }
  while (end > first + 1 && (lines[end - 1] ?? '').trim() === '') end--;
  return lines.slice(first, end);
}
