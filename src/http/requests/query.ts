// The query of a request: its parameters by name, and the checks that need no knowledge of the operation.

import { isPercentEncoded } from '../../domain/percent-encoding.ts';
import { fault } from '../../faults.ts';

/** By name. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Has no members of its own, as `Object.create(null)`, whose lookups are slower. */
const NamedValues = class {} as new () => Record<string, string | undefined>;
Object.setPrototypeOf(NamedValues.prototype, null);
delete NamedValues.prototype.constructor;

const NO_QUERY: Query = Object.freeze(new NamedValues());

const QUESTION_MARK = 0x3f;

/** Where the parameters begin; -1 without a query. URLSearchParams takes a second question mark for none. */
function queryStart(url: string): number {
  const mark = url.indexOf('?');
  if (mark === -1) return -1;
  return url.charCodeAt(mark + 1) === QUESTION_MARK ? mark + 2 : mark + 1;
}

/**
 * Of a repeated parameter the first value counts. The same as with URLSearchParams, which took 8 µs for a search of two
 * parameters.
 */
export function readQuery(url: string): Query {
  let from = queryStart(url);
  if (from === -1) return NO_QUERY;
  const query = new NamedValues();
  while (from < url.length) {
    const next = url.indexOf('&', from);
    const end = next === -1 ? url.length : next;
    const equals = url.indexOf('=', from);
    const nameEnd = equals === -1 || equals > end ? end : equals;
    if (end > from) query[decoded(url.slice(from, nameEnd))] ??= decoded(url.slice(nameEnd + 1, end));
    from = end + 1;
  }
  return query;
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Of a parameter that the operation does not read: the others have been checked.
    return new URLSearchParams(`=${text}`).get('') ?? '';
  }
}

export interface Parameter {
  readonly schema: object;
  readonly sentence: string;
  readonly required?: true;
}

/** Query parameters or headers by their names. */
export type Parameters = Readonly<Record<string, Parameter>>;

interface QueryRule {
  readonly parameters?: Parameters;
  readonly refusesOthers?: true;
}

const NO_PARAMETERS: Parameters = {};

/** The checks that need no knowledge of the operation. */
export function checkQuery(url: string, { parameters = NO_PARAMETERS, refusesOthers }: QueryRule): void {
  const start = queryStart(url);
  if (start === -1) return;
  const text = url.slice(start);
  if (refusesOthers) refuseOthers(text, parameters);
  // Names may be encoded too; if unknown parameters are refused, all that are left will be read.
  if (text.includes('%'))
    refuseBrokenEncoding(text, (name) => refusesOthers === true || Object.hasOwn(parameters, name));
}

function refuseOthers(text: string, parameters: Parameters): void {
  const given = new Set<string>();
  // With a question mark of its own: it drops one, which may belong to a name.
  for (const [name] of new URLSearchParams(`?${text}`)) {
    const parameter = name.slice(0, NAME_SHOWN_MAX);
    if (!Object.hasOwn(parameters, name)) {
      const names = Object.keys(parameters);
      const known = names.length === 0 ? 'takes none' : `takes ${names.join(', ')}`;
      throw fault('INVALID_PARAMETER', { parameter, reason: `is not known: the operation ${known}` });
    }
    if (given.has(name)) throw fault('INVALID_PARAMETER', { parameter, reason: 'is given more than once' });
    given.add(name);
  }
}

/** Characters of an unknown parameter in the refusal. */
const NAME_SHOWN_MAX = 100;

/**
 * URLSearchParams replaces bytes that it cannot decode by U+FFFD, so a different search would run. Parameters that the
 * operation does not read are not checked.
 */
function refuseBrokenEncoding(text: string, isRead: (name: string) => boolean): void {
  for (const part of text.split('&')) {
    const name = decoded(part.split('=', 1)[0]!);
    if (isRead(name) && !isPercentEncoded(part)) {
      throw fault('INVALID_PARAMETER', {
        parameter: name.slice(0, NAME_SHOWN_MAX),
        reason: 'is not percent-encoded UTF-8',
      });
    }
  }
}
