// A small scanner that tells code, comments and literals of TypeScript apart, so that a rule about code is not
// deceived by a sentence and a rule about SQL sees whole statements. It knows tokens, not grammar.

export interface Literal {
  readonly kind: 'string' | 'template';
  /** As written between the quotes; in a template `${…}` keeps its expression. Neighbours joined by `+` are one. */
  readonly text: string;
  readonly line: number;
}

export interface Scan {
  /** The text with comments and the insides of literals blanked; positions and lines are those of the source. */
  readonly code: string;
  /** The text with everything but comments blanked. */
  readonly comments: string;
  readonly literals: readonly Literal[];
}

/** A slash begins a regular expression where a value may begin, which the text before it shows. */
const VALUE_MAY_BEGIN = /(?:^|[=(,:;!&|?{}[+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/;

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

export const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** Where a quoted string or a regular expression that begins at `start` ends, behind its closing mark. */
function endOfQuoted(text: string, start: number): number {
  const mark = text[start];
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '\n') return at;
    else if (mark === '/' && char === '[') inClass = true;
    else if (mark === '/' && char === ']') inClass = false;
    else if (char === mark && !inClass) return at + 1;
  }
  return text.length;
}

class Scanner {
  readonly #text: string;
  #at = 0;
  #code = '';
  #comments = '';
  readonly #found: (Literal & { start: number; end: number })[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  scan(): Scan {
    this.#run(() => false);
    return { code: this.#code, comments: this.#comments, literals: joined(this.#found, this.#code) };
  }

  /** Copies up to `end` into one of the two views and blanks it in the other. */
  #take(end: number, view: 'code' | 'comments' | 'neither'): void {
    const piece = this.#text.slice(this.#at, end);
    this.#code += view === 'code' ? piece : blank(piece);
    this.#comments += view === 'comments' ? piece : blank(piece);
    this.#at = end;
  }

  #run(isEnd: (char: string) => boolean): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (isEnd(char)) return;
      if (two === '//') this.#take(this.#find('\n', this.#at), 'comments');
      else if (two === '/*') this.#take(this.#find('*/', this.#at + 2) + 2, 'comments');
      else if (char === "'" || char === '"') this.#quoted();
      else if (char === '`') this.#template();
      else if (char === '/' && VALUE_MAY_BEGIN.test(this.#code.slice(-40))) {
        this.#take(endOfQuoted(this.#text, this.#at), 'neither');
      } else this.#take(this.#at + 1, 'code');
    }
  }

  #find(mark: string, from: number): number {
    const found = this.#text.indexOf(mark, from);
    return found < 0 ? this.#text.length : found;
  }

  #note(kind: Literal['kind'], start: number): void {
    const text = this.#text.slice(start + 1, this.#at - 1);
    this.#found.push({ kind, text, line: lineAt(this.#text, start), start, end: this.#at });
  }

  #quoted(): void {
    const start = this.#at;
    const end = endOfQuoted(this.#text, start);
    this.#take(start + 1, 'code');
    this.#take(end - 1, 'neither');
    this.#take(end, 'code');
    this.#note('string', start);
  }

  #template(): void {
    const start = this.#at;
    this.#take(start + 1, 'code');
    while (this.#at < this.#text.length && this.#text[this.#at] !== '`') {
      if (this.#text[this.#at] === '\\') this.#take(this.#at + 2, 'neither');
      else if (this.#text.startsWith('${', this.#at)) this.#placeholder();
      else this.#take(this.#at + 1, 'neither');
    }
    this.#take(this.#at + 1, 'code');
    this.#note('template', start);
  }

  #placeholder(): void {
    this.#take(this.#at + 2, 'code');
    let depth = 0;
    this.#run((char) => {
      if (char === '{') depth++;
      return char === '}' && depth-- === 0;
    });
    this.#take(this.#at + 1, 'code');
  }
}

/** Literals in the order of the source, those joined by `+` as one. */
function joined(found: readonly (Literal & { start: number; end: number })[], code: string): Literal[] {
  const result: { literal: Literal; end: number }[] = [];
  for (const { start, end, ...literal } of [...found].sort((a, b) => a.start - b.start)) {
    const before = result.at(-1);
    if (before && start >= before.end && /^\s*\+\s*$/.test(code.slice(before.end, start))) {
      before.literal = { ...before.literal, text: before.literal.text + literal.text };
      before.end = end;
    } else result.push({ literal, end });
  }
  return result.map(({ literal }) => literal);
}

const scanned = new Map<string, Scan>();

/** Once for each text: every rule looks at every file. */
export function scan(text: string): Scan {
  const known = scanned.get(text) ?? new Scanner(text).scan();
  scanned.set(text, known);
  return known;
}
