// How a tidy rule looks and how it is tested: a function from a file to violations, snippets that it must accept and
// snippets that it must refuse, so that no rule can pass because it sees nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { File } from './tree.ts';

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

export interface Rule {
  readonly name: string;
  /** Why the rule exists; shown to whoever breaks it. */
  readonly because: string;
  readonly find: (file: File) => Violation[];
  readonly good: readonly File[];
  readonly bad: readonly File[];
}

export function report(name: string, because: string, violations: readonly Violation[]): string {
  const lines = violations.map(({ path, line, what }) => `  ${path}:${line}  ${what}`);
  return [`${name}: ${because}`, ...lines].join('\n');
}

export function assertNone(name: string, because: string, violations: readonly Violation[]): void {
  assert.ok(violations.length === 0, report(name, because, violations));
}

/** Tests the rule on its own snippets, then on the project's files. */
export function testRule(rule: Rule, files: readonly File[]): void {
  test(rule.name, () => {
    for (const file of rule.good) assert.deepEqual(rule.find(file), [], `wrongly refused: ${file.text || file.path}`);
    for (const file of rule.bad) assert.ok(rule.find(file).length > 0, `wrongly accepted: ${file.text || file.path}`);
    assertNone(rule.name, rule.because, files.flatMap(rule.find));
  });
}

/** A violation for every match of the pattern in `view`, which has the lines of the file. */
export function matches(path: string, view: string, pattern: RegExp, what: (match: string) => string): Violation[] {
  return [...view.matchAll(pattern)].map((match) => ({
    path,
    line: view.slice(0, match.index).split('\n').length,
    what: what(match[0].trim()),
  }));
}
