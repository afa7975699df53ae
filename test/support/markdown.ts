// The documentation as data: its fenced blocks with the comment that marks them, and its tables. Knows nothing of what
// they say.

import { readFileSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);

export const PAGES = [
  'README',
  'command-line',
  'interface',
  'search',
  'values',
  'users',
  'signing-in',
  'errors',
  'publishing',
  'import-export',
  'operating',
  'monitoring',
  'activity-log',
  'notifications',
] as const;
/** The pages with examples, and the one without. */
export type Page = (typeof PAGES)[number] | 'architecture';

export const readPage = (page: Page): string => readFileSync(rootPath(`docs/${page}.md`), 'utf8');

export const rootPath = (path: string): URL => new URL(path, ROOT);

/** A file of the project, for what the compiled code no longer tells. */
export const readSource = (path: string): string => readFileSync(rootPath(path), 'utf8');

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The comment in the line above it, or ''. */
  readonly mark: string;
  /** For messages: `docs/values.md:12`. */
  readonly place: string;
}

export const blocksOf = (page: Page): Block[] => blocksIn(`docs/${page}.md`);

export function blocksIn(file: string): Block[] {
  const text = readSource(file);
  return [...text.matchAll(/(?:^<!-- ([^\n]*) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    mark: match[1] ?? '',
    language: match[2] ?? '',
    text: match[3] ?? '',
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
  }));
}

/** The cells of the first table whose head begins with these cells; without the head. */
export function tableOf(page: Page, ...head: readonly string[]): string[][] {
  return tablesOf(readPage(page), head)[0] ?? [];
}

export function tablesOf(text: string, head: readonly string[]): string[][][] {
  const tables = text.match(/(?:^\|.*\|\n)+/gm) ?? [];
  const rows = tables.map((table) => table.trimEnd().split('\n').map(cellsOf));
  return rows.filter(([first]) => head.every((cell, index) => first?.[index] === cell)).map((table) => table.slice(2));
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The comment in the line above it, but for a blank line, or ''. */
  readonly mark: string;
  readonly place: string;
}

/** All tables of a page, in its order. */
export function allTablesOf(page: Page): Table[] {
  const text = readPage(page);
  return [...text.matchAll(/(?:^<!-- ([^\n]*) -->\n\n?)?((?:^\|.*\|\n)+)/gm)].map((match) => {
    const [head = [], , ...rows] = (match[2] ?? '').trimEnd().split('\n').map(cellsOf);
    return {
      head,
      rows,
      mark: match[1] ?? '',
      place: `docs/${page}.md:${text.slice(0, match.index).split('\n').length}`,
    };
  });
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** `` `text` `` → `text`; undefined for anything else. */
export const codeIn = (cell: string | undefined): string | undefined => /^`([^`]*)`$/.exec(cell ?? '')?.[1];

/** The part of a page from a heading up to the next of its level or above. */
export function sectionOf(page: Page, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const [, after] = readPage(page).split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`docs/${page}.md has no heading ${heading}`);
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
}
