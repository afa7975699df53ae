// The imports of a source file, and the graph that they make. Type imports count: they too say who knows whom.

import { dirname, join, normalize } from 'node:path/posix';
import { lineAt, scan } from './scan.ts';
import type { File } from './tree.ts';

export interface Import {
  readonly line: number;
  readonly specifier: string;
  /** The file meant, from the project's root; absent for packages and Node's own modules. */
  readonly target?: string;
}

// `from '…'`, `import '…'`, `import('…')`, and a file that is run elsewhere: `new URL('./…', import.meta.url)`.
const BEFORE_SPECIFIER = /\b(?:from|import|import\s*\(|new\s+URL\s*\()\s*(?=['"])/g;

export function importsOf({ path, text }: File): Import[] {
  const { code } = scan(text);
  return [...code.matchAll(BEFORE_SPECIFIER)].flatMap((match) => {
    const open = match.index + match[0].length;
    const specifier = text.slice(open + 1, code.indexOf(code[open] ?? '', open + 1));
    const line = lineAt(text, match.index);
    const isFileRunElsewhere = match[0].startsWith('new');
    if (isFileRunElsewhere && !/\.[jt]s$/.test(specifier)) return [];
    if (specifier.startsWith('.')) {
      const target = normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts');
      return [{ line, specifier, target }];
    }
    return isFileRunElsewhere ? [] : [{ line, specifier }];
  });
}

export type Graph = ReadonlyMap<string, readonly string[]>;

export function graphOf(files: readonly File[]): Graph {
  return new Map(
    files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => (target === undefined ? [] : [target]))]),
  );
}

export function reachableFrom(graph: Graph, entry: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    waiting.push(...(graph.get(path) ?? []));
  }
  return seen;
}

/** Each cycle once, as the paths along it. */
export function cyclesOf(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const road: string[] = [];
  const visit = (path: string): void => {
    const before = road.indexOf(path);
    if (before >= 0) cycles.push([...road.slice(before), path]);
    if (before >= 0 || finished.has(path)) return;
    road.push(path);
    for (const next of graph.get(path) ?? []) visit(next);
    road.pop();
    finished.add(path);
  };
  for (const path of graph.keys()) visit(path);
  return cycles;
}
