// Turns the text of a search query into a condition, checked against the collection's columns and their types. The only
// entry to this folder for reading queries.

import { atOnce, type Steps } from '../../load/slices.ts';
import type { Column } from '../../wire/applications.ts';
import { quoteClipped } from '../values/value-type.ts';
import { matchAnywhere } from './bare-terms.ts';
import { findSubject, type Subject, searchableFields, type TypedField } from './columns.ts';
import { type Condition, countLeaves } from './condition.ts';
import { invalidSearch } from './invalid-search.ts';
import { withNameMeant } from './names-meant.ts';
import { type Criterion, parse, type Syntax, type Term } from './parse.ts';
import { isProblem } from './spans.ts';
import { type Comparison, type TermContext, TYPE_RULES } from './type-rules.ts';

export interface QueryContext extends TermContext {
  /** All columns of the collection, including those that are not searchable. */
  readonly columns: readonly Column[];
  /** Whether an empty term, which every record contains, is an error. */
  readonly refusesEmptyTerms?: boolean;
}

/** Throws INVALID_SEARCH with the position at which the query is wrong, in code points. An empty query asks for everything. */
export function readSearch(query: string, context: QueryContext): Condition {
  return atOnce(readSearchInSteps(query, context));
}

/** The same, for queries that take long. */
export function* readSearchInSteps(query: string, context: QueryContext): Steps<Condition> {
  try {
    return yield* readCondition(query, context);
  } catch (error) {
    throw withNameMeant(error, query, context.columns);
  }
}

/** From here on reading a query takes more than a quarter of a millisecond: each of its terms may stand for every column. */
const LONG = 64 * 1024;

export const isLongSearch = (query: string, columns: readonly Column[]): boolean =>
  query.length * columns.length >= LONG;

function* readCondition(query: string, context: QueryContext): Steps<Condition> {
  const syntax = parse(query);
  if (syntax === undefined) return { kind: 'everything' };
  const condition = yield* check(syntax, context);
  const leaves = countLeaves(condition);
  if (leaves <= LEAVES_MAX) return condition;
  throw invalidSearch(
    `It asks each record for ${leaves} values, and may ask for ${LEAVES_MAX}; name the columns that are meant.`,
    0,
  );
}

/** Above 64 numbers in 200 columns; only a search over Objects with very many keys can exceed it. */
const LEAVES_MAX = 16_000;

function* check(syntax: Syntax, context: QueryContext): Steps<Condition> {
  switch (syntax.kind) {
    case 'and':
    case 'or': {
      const parts: Condition[] = [];
      for (const part of syntax.parts) parts.push(yield* check(part, context));
      return { kind: syntax.kind, parts };
    }
    case 'not':
      return not(yield* check(syntax.part, context));
    case 'term':
      yield;
      if (context.refusesEmptyTerms) refuseEmpty(syntax.term);
      return matchAnywhere(fieldsIn(context.columns), syntax.term.text, { clock: context, afterOperator: false });
    case 'criterion':
      yield;
      return checkCriterion(syntax, context);
  }
}

function refuseEmpty({ text, position }: Term): void {
  if (text === '') throw invalidSearch('An empty term is found in every record; leave it out.', position);
  if (text.trim() === '') throw invalidSearch('A term of blanks needs a column here, as in Name:" ".', position);
}

/** The same array of columns serves all queries of a definition. */
const fieldsOfColumns = new WeakMap<readonly Column[], readonly TypedField[]>();

function fieldsIn(columns: readonly Column[]): readonly TypedField[] {
  let fields = fieldsOfColumns.get(columns);
  if (fields === undefined) {
    fields = searchableFields(columns);
    fieldsOfColumns.set(columns, fields);
  }
  return fields;
}

const not = (part: Condition): Condition => ({ kind: 'not', part });

function checkCriterion({ name, operator, term, position }: Criterion, context: QueryContext): Condition {
  const subject = findSubject(context.columns, name, position);
  if (term === undefined) return operator === '!=' ? present(subject) : not(present(subject));
  if (operator === ':' && term.text === '') return present(subject);
  if (subject.isObject) {
    if (operator === ':') return matchAnywhere(subject.typed, term.text, { clock: context, afterOperator: true });
    throw invalidSearch(`${subject.sentence}; "${operator}" needs one of its keys after a dot.`, position);
  }
  if (operator === '!=') return not(compare(subject, { operator: '=', term, context }));
  return compare(subject, { operator, term, context });
}

/** Every record has all metadata. */
const present = ({ field }: Subject): Condition =>
  field.kind === 'metadata' ? { kind: 'everything' } : { kind: 'present', field };

function compare({ typed, sentence }: Subject, { operator, term, context }: Omit<Comparison, 'field'>): Condition {
  const [{ field, type }] = typed as [TypedField];
  const rule = TYPE_RULES[type];
  const condition = rule.toCondition({ field, operator, term, context });
  if (condition !== undefined && !isProblem(condition)) return condition;
  const why = condition === undefined ? `it takes ${rule.fits}` : condition.problem;
  throw invalidSearch(`${sentence}, which ${quoteClipped(term.text)} does not fit: ${why}.`, term.position);
}
