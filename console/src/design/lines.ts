// Lists of names as text, one per line. Empty lines, such as the one where the next name is about to be typed, say nothing.

export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/\r\n?|\n/));

export const textOfLines = (lines: readonly string[]): string => lines.join('\n');

const isFilled = (line: string): boolean => line !== '';

export const filledLines = (lines: readonly string[]): string[] => lines.filter(isFilled);

/** Where the entry of the document stands in the text, counted from 1. */
export function lineNumber(lines: readonly string[], entry: number): number {
  const filled = lines.flatMap((line, index) => (isFilled(line) ? [index] : []));
  return (filled[entry] ?? lines.length - 1) + 1;
}
