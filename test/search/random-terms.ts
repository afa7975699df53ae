// Random terms for a query, made from values that records hold, so that they hit, and bent a little, so that they
// miss by little.

import { DAY, instantsOf, shiftWall, wallClock } from './oracle/moments.ts';
import type { PlaceType } from './oracle/places.ts';
import { ME, type Operator, type Term } from './oracle/query.ts';
import { distanceMetres } from './oracle/texts.ts';
import type { Atom } from './oracle/world.ts';
import type { Random } from './random.ts';
import { NAMES, NUMBERS, TIMES, WORDS } from './vocabulary.ts';

const SLICE_MAX = 700;

export function textTerm(random: Random, atoms: readonly Atom[]): string {
  const texts = atoms.flatMap((atom) => (atom.type === 'String' ? atom.value : atom.type === 'User' ? atom.name : []));
  const text = texts.length > 0 && random.chance(0.7) ? random.pick(texts) : random.pick(WORDS);
  return bent(random, random.chance(0.35) ? sliced(text, SLICE_MAX) : randomSlice(random, text));
}

/** By code points: a term never holds half of a surrogate pair. */
const sliced = (text: string, length: number, from = 0) => [...text].slice(from, from + length).join('');

function randomSlice(random: Random, text: string): string {
  const size = [...text].length;
  const length = random.weighted([4, 1], [6, 3], [4, 6], [1, 40], [size > SLICE_MAX ? 2 : 0, SLICE_MAX]);
  return sliced(text, length, random.integer(0, Math.max(0, size - length)));
}

function bent(random: Random, text: string): string {
  const bend = random.weighted<(text: string) => string>(
    [6, (same) => same],
    [1, (upper) => upper.toUpperCase()],
    [1, (lower) => lower.toLowerCase()],
    [1, (composed) => composed.normalize('NFC')],
    [1, (apart) => apart.normalize('NFD')],
    [0.5, (longer) => `${longer}${random.pick(['a', '😀', ' ', '\u0301'])}`],
  );
  return sliced(bend(text), SLICE_MAX);
}

export function numberTerm(random: Random, atoms: readonly Atom[]): string {
  const numbers = atoms.flatMap((atom) => (atom.type === 'Number' ? atom.value : []));
  const number = numbers.length > 0 && random.chance(0.7) ? random.pick(numbers) : random.pick(NUMBERS);
  const moved = Math.abs(number) < 1e6 && random.chance(0.2) ? number + random.pick([1, -1, 0.5]) : number;
  const text = JSON.stringify(moved);
  if (/^-?\d{1,6}$/.test(text) && random.chance(0.3)) return random.pick([`${text}.0`, `${text}e0`, `${text}0E-1`]);
  return text;
}

export interface TermClock {
  readonly zone: string;
  readonly now: number;
}

/** A date or date-time as it may stand in a query; words such as `today` only behind an operator. */
export function momentTerm(random: Random, atoms: readonly Atom[], { zone, now }: TermClock, words: boolean): string {
  if (words && random.chance(0.25)) return wordTerm(random);
  const held = atoms.flatMap((atom) => (atom.type === 'DateTime' ? Date.parse(atom.value) : []));
  const step = random.weighted([6, 0], [1, 1], [1, -1], [1, DAY], [1, -DAY]);
  const instant = (held.length > 0 ? random.pick(held) : now) + step;
  const wall = wallClock(instant, zone);
  const length = random.pick([16, 19, 23]);
  return random.weighted<() => string>(
    [4, () => wall.slice(0, 10)],
    [3, () => wall.slice(0, length)],
    [2, () => `${new Date(instant).toISOString().slice(0, length)}Z`],
    [1, () => `${wallClock(instant, 'Asia/Kolkata').slice(0, length)}+05:30`],
    [1, () => `${wallClock(instant, 'America/Sao_Paulo').slice(0, length)}-03:00`],
    [words ? 2 : 0, () => wall.slice(0, random.pick([4, 7]))],
    [words ? 2 : 0, () => shiftedDay(random, wall.slice(0, 10))],
    [words ? 2 : 0, () => shiftedMoment(random, wall.slice(0, length), zone)],
    [words ? 1 : 0, () => shiftedInstant(random, instant, length)],
  )();
}

const signed = (count: number) => (count < 0 ? `${count}` : `+${count}`);

function wordTerm(random: Random): string {
  const word = random.pick(['today', 'yesterday', 'tomorrow', 'now']);
  const unit = random.pick(word === 'now' ? ['m', 'h', 'd', 'w', 'mo', 'y'] : ['d', 'w', 'mo', 'y']);
  return random.chance(0.5) ? word : `${word}${signed(random.pick([-31, -7, -2, -1, 1, 2, 7, 13]))}${unit}`;
}

/** `2024-01-31+1mo`, so that the day is met again in most cases. */
function shiftedDay(random: Random, day: string): string {
  const offset = { count: random.pick([-13, -7, -1, 1, 2, 12]), unit: random.pick(['d', 'w', 'mo', 'y']) };
  return `${shiftWall(day, { ...offset, count: -offset.count })}${signed(offset.count)}${offset.unit}`;
}

/** Only where the clock on the wall and the time that passes agree: the text does not say which of them counts. */
function shiftedMoment(random: Random, wall: string, zone: string): string {
  const offset = { count: random.pick([-90, -3, -1, 1, 2, 30]), unit: random.pick(['m', 'h', 'd', 'w', 'mo', 'y']) };
  const start = shiftWall(wall, { ...offset, count: -offset.count });
  const [from, to] = [instantsOf(start, zone), instantsOf(shiftWall(start, offset), zone)];
  const apart = (to[0] ?? 0) - (from[0] ?? 0);
  const passed = Date.parse(`${shiftWall(start, offset)}Z`) - Date.parse(`${start}Z`);
  if (from.length !== 1 || to.length !== 1 || apart !== passed) return wall;
  return `${start}${signed(offset.count)}${offset.unit}`;
}

function shiftedInstant(random: Random, instant: number, length: number): string {
  const minutes = random.pick([-90, -60, 1, 45]);
  const text = new Date(instant - minutes * 60_000).toISOString().slice(0, length);
  return minutes === -60 ? `${text}Z-1h` : `${text}Z${signed(minutes)}m`;
}

export function dayTerm(random: Random, atoms: readonly Atom[], words: boolean): string {
  const days = atoms.flatMap((atom) => (atom.type === 'Date' ? atom.value : []));
  const day = days.length > 0 ? random.pick(days) : '2024-03-10';
  if (!words) return day;
  if (random.chance(0.3)) return wordTerm(random);
  if (random.chance(0.2)) return day.slice(0, random.pick([4, 7]));
  // Far from the ends of the calendar, beyond which a shift would lead.
  return random.chance(0.3) && /^(?:19|20)/.test(day) ? shiftedDay(random, day) : day;
}

export function timeTerm(random: Random): string {
  const time = random.pick(TIMES);
  return random.chance(0.4) ? time.slice(0, 5) : time;
}

export function circleTerm(random: Random, atoms: readonly Atom[]): string {
  const points = atoms.flatMap((atom) => (atom.type === 'Location' ? atom : []));
  const near = points.length > 0 ? random.pick(points) : { latitude: 35.68, longitude: 139.76 };
  const jitter = () => random.pick([0, 0, 0.01, -0.03, 0.5]);
  const bounded = (degrees: number, most: number) => Number(Math.max(-most, Math.min(most, degrees)).toFixed(6));
  const latitude = bounded(near.latitude + jitter(), 90);
  const longitude = bounded(near.longitude + jitter(), 180);
  const kilometres = [0.5, 1, 5, 7.25, 60, 400, 1000, 6000, 12000, 20100].filter((radius) =>
    // Away from the border, where the last digits of the arithmetic would decide.
    points.every((point) => {
      const metres = distanceMetres(point, { latitude, longitude });
      return Math.abs(metres - radius * 1000) > 1 + metres * 0.001;
    }),
  );
  return `${latitude},${longitude},${kilometres.length === 0 ? 25000 : random.pick(kilometres)}km`;
}

export interface Place {
  readonly type: PlaceType;
  readonly atoms: readonly Atom[];
}

export function randomTerm(random: Random, place: Place, operator: Operator, clock: TermClock): Term {
  const { type, atoms } = place;
  switch (type) {
    case 'String':
      return operator !== ':' && random.chance(0.05) ? '' : textTerm(random, atoms);
    case 'User':
      if (operator !== '=' && operator !== '!=') return textTerm(random, atoms);
      if (random.chance(0.4)) return ME;
      return random.chance(0.3) ? random.pick(NAMES) : random.pick(identities(atoms));
    case 'Number':
      return numberTerm(random, atoms);
    case 'Boolean':
      return random.pick(['true', 'false']);
    case 'DateTime':
      return momentTerm(random, atoms, clock, true);
    case 'Date':
      return dayTerm(random, atoms, true);
    case 'Time':
      return timeTerm(random);
    case 'Location':
      return circleTerm(random, atoms);
    case 'Keys':
      return keysTerm(random, atoms, clock, true);
  }
}

function identities(atoms: readonly Atom[]): string[] {
  const found = atoms.flatMap((atom) => (atom.type === 'User' ? [atom.id, atom.name] : []));
  return found.length > 0 ? found : ['nobody'];
}

/** Anything that a bare term may be. */
export function keysTerm(random: Random, atoms: readonly Atom[], clock: TermClock, words: boolean): string {
  return random.weighted<() => string>(
    [8, () => textTerm(random, atoms)],
    [2, () => numberTerm(random, atoms)],
    [2, () => momentTerm(random, atoms, clock, words)],
    [1, () => dayTerm(random, atoms, words)],
    [1, () => timeTerm(random)],
  )();
}
