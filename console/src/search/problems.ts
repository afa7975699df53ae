// What is wrong with a search, as far as that can be told without the server: how it is written, which columns there are,
// and what is no number or Boolean.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';
import { booleanWord } from './booleans.ts';
import { type Criterion, criteriaIn, type Problem, type ProblemKind, type Reading } from './reading.ts';
import { findSubject } from './subjects.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function problemOf(text: string, reading: Reading, columns: readonly ColumnDefinition[]): Problem | undefined {
  if (reading.problem !== undefined) return reading.problem;
  if (reading.syntax === undefined) return undefined;
  for (const criterion of criteriaIn(reading.syntax)) {
    const problem = problemOfCriterion(criterion, columns);
    // The last word may not be whole yet.
    if (problem !== undefined) return { ...problem, unfinished: criterion.end === text.length };
  }
  return undefined;
}

function problemOfCriterion(
  { name, operator, term, start }: Criterion,
  columns: readonly ColumnDefinition[],
): { readonly kind: ProblemKind; readonly at: number } | undefined {
  const subject = findSubject(columns, name);
  if (typeof subject === 'string') return { kind: subject, at: start };
  if (term === undefined || (operator === ':' && term.text === '')) return undefined;
  if (subject.type === 'Object' && operator !== ':') return { kind: 'needsKey', at: start };
  if (subject.type === 'Number' && !(JSON_NUMBER.test(term.text) && Number.isFinite(Number(term.text)))) {
    return { kind: 'number', at: term.start };
  }
  if (subject.type === 'Boolean' && booleanWord(term.text) === undefined) {
    return { kind: 'boolean', at: term.start };
  }
  return undefined;
}
