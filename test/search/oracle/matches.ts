// Whether a record matches a query, straight from the text of the search language, and whether the query may be asked.

import { type Clock, LeftOpen, readDate, readMoment, readTime, type Side, wallClock } from './moments.ts';
import { atomsInSearchable, heldAt, type PlaceType, placeType } from './places.ts';
import { type Criterion, ME, type Operator, type Query, type Term } from './query.ts';
import { compareCodePoints, contains, distanceMetres, readCircle, readNumber } from './texts.ts';
import type { Atom, Caller, Setting, StoredRecord } from './world.ts';

export function matches(query: Query, record: StoredRecord, setting: Setting): boolean {
  switch (query.kind) {
    case 'everything':
      return true;
    case 'and':
      return query.parts.every((part) => matches(part, record, setting));
    case 'or':
      return query.parts.some((part) => matches(part, record, setting));
    case 'not':
      return !matches(query.part, record, setting);
    case 'bare': {
      const clock = clockOf(setting, false);
      return atomsInSearchable(record, setting).some((atom) => bareHits(atom, query.term, clock));
    }
    case 'criterion':
      return matchesCriterion(query, record, setting);
  }
}

/** Words such as `today` mean dates only behind an operator. */
const clockOf = ({ zone, now }: Setting, words: boolean): Clock => ({ zone, now, words });

function matchesCriterion(criterion: Criterion, record: StoredRecord, setting: Setting): boolean {
  const { path, operator, term } = criterion;
  if (operator === '!=') return !matchesCriterion({ ...criterion, operator: '=' }, record, setting);
  const { present, atoms } = heldAt(path, record, setting);
  if (term === undefined) return !present;
  if (operator === ':' && term === '') return present;
  const clock = clockOf(setting, true);
  if (placeType(path, setting.columns) === 'Keys') return atoms.some((atom) => bareHits(atom, textOf(term), clock));
  return atoms.some((atom) => hits(atom, criterion, clock, setting.caller));
}

/** On a column of text, `me` is a word like any other. */
const textOf = (term: Term): string => (typeof term === 'string' ? term : 'me');

/** Text by containing, what can be counted by equality; Boolean and Location never. */
function bareHits(atom: Atom, term: string, clock: Clock): boolean {
  switch (atom.type) {
    case 'String':
      return contains(atom.value, term);
    case 'User':
      return contains(atom.name, term);
    case 'Boolean':
    case 'Location':
      return false;
    default:
      return sideOf(atom, term, clock) === 0;
  }
}

function hits(atom: Atom, { operator, term = '' }: Criterion, clock: Clock, caller: Caller): boolean {
  if (atom.type === 'User' && operator === '=') {
    return term === ME ? atom.id === caller.id : atom.name === term || atom.id === term;
  }
  const text = textOf(term);
  if (atom.type === 'Location') {
    const circle = readCircle(text);
    return circle !== undefined && distanceMetres(atom, circle) <= circle.metres;
  }
  if (operator === ':' && atom.type === 'String') return contains(atom.value, text);
  if (operator === ':' && atom.type === 'User') return contains(atom.name, text);
  const side = sideOf(atom, text, clock);
  if (side === undefined) throw new Error(`${text} does not fit ${atom.type}`);
  return COMPARISONS[operator]?.(side) ?? false;
}

const COMPARISONS: Readonly<Partial<Record<Operator, (side: number) => boolean>>> = {
  ':': (side) => side === 0,
  '=': (side) => side === 0,
  '<': (side) => side < 0,
  '<=': (side) => side <= 0,
  '>': (side) => side > 0,
  '>=': (side) => side >= 0,
};

/** Whether the value is below, within or above what the term stands for; undefined when the term does not fit. */
function sideOf(atom: Exclude<Atom, { type: 'Location' }>, term: string, clock: Clock): number | undefined {
  switch (atom.type) {
    case 'String':
      return compareCodePoints(atom.value, term);
    case 'User':
      return compareCodePoints(atom.name, term);
    case 'Number': {
      const number = readNumber(term);
      return number === undefined ? undefined : Math.sign(atom.value - number);
    }
    case 'Boolean':
      return isBoolean(term) ? Number(atom.value) - Number(term === 'true') : undefined;
    case 'DateTime':
      return readMoment(term, clock)?.(Date.parse(atom.value));
    case 'Date':
      return sideOfPrefix(atom.value, readDate(term, clock));
    case 'Time':
      return sideOfPrefix(atom.value, readTime(term));
  }
}

const isBoolean = (term: string): boolean => term === 'true' || term === 'false';

function sideOfPrefix(value: string, wall: string | undefined): Side | undefined {
  if (wall === undefined) return undefined;
  const shown = value.slice(0, wall.length);
  return shown < wall ? -1 : shown === wall ? 0 : 1;
}

/** Why a query must be refused; undefined when it may be asked. Throws where the text leaves open what it means. */
export function problemOf(query: Query, setting: Setting): string | undefined {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.parts.map((part) => problemOf(part, setting)).find((problem) => problem !== undefined);
    case 'not':
      return problemOf(query.part, setting);
    case 'bare':
      if (query.term === '') throw new LeftOpen('a bare ""');
      // Reading throws for a date-time that is not there just once.
      readMoment(query.term, clockOf(setting, false));
      return undefined;
    case 'criterion': {
      const type = placeType(query.path, setting.columns);
      if (type === undefined) return 'no such column, or not searchable';
      return criterionProblem(query, type, setting);
    }
    default:
      return undefined;
  }
}

function criterionProblem({ operator, term }: Criterion, type: PlaceType, setting: Setting): string | undefined {
  const equality = operator === '=' || operator === '!=';
  if (term === undefined) return equality ? undefined : `nothing behind ${operator}`;
  if (operator === ':' && term === '') return undefined;
  if (type === 'Keys') {
    if (operator !== ':') return equality ? open('an Object as a whole with = and a term') : 'an Object needs a key';
    if (isBoolean(textOf(term))) open('a Boolean among the keys of an Object with :');
    readMoment(textOf(term), clockOf(setting, true));
    readDate(textOf(term), clockOf(setting, true));
    return undefined;
  }
  if (term === ME && type === 'User' && !equality) return open('me with another operator than = and !=');
  if (type === 'Location') {
    return operator === ':' && readCircle(textOf(term)) !== undefined ? undefined : 'not a place and a distance';
  }
  return fits(type, textOf(term), setting) ? undefined : `does not fit ${type}`;
}

function open(what: string): never {
  throw new LeftOpen(what);
}

/** A value of each type, only to see whether a term can be compared with it. */
function fits(type: Exclude<PlaceType, 'Keys' | 'Location'>, term: string, setting: Setting): boolean {
  const samples: Readonly<Record<typeof type, Exclude<Atom, { type: 'Location' }>>> = {
    String: { type: 'String', value: '' },
    User: { type: 'User', id: '', name: '' },
    Number: { type: 'Number', value: 0 },
    Boolean: { type: 'Boolean', value: false },
    DateTime: { type: 'DateTime', value: `${wallClock(0, 'UTC')}Z` },
    Date: { type: 'Date', value: '2000-01-01' },
    Time: { type: 'Time', value: '00:00:00' },
  };
  return sideOf(samples[type], term, clockOf(setting, true)) !== undefined;
}
