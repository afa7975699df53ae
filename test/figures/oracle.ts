// Figures computed from listed records in plain JavaScript: an oracle that shares no code with the server. Sums are those of
// the decimals that the JSON shows, in whole numbers of 10^-400, and rounded once.

import type { Shown } from '../support/lists.ts';

export type Group = string | number | boolean | null | { readonly id: string; readonly name: string };
export type ShownFigure = Readonly<Record<string, unknown>> & { readonly group?: Group };

export interface Question {
  readonly groupBy?: string;
  readonly measure?: string;
  readonly zone: string;
}

const SCALE = 400;

/** The whole number of 10^-400 that the shortest text of the number stands for. */
function unitsOf(number: number): bigint {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(SCALE + Number(exponent) - fraction.length);
}

const finite = (number: number): number => Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE) + 0;
const sumOf = (numbers: readonly number[]): bigint => numbers.reduce((sum, number) => sum + unitsOf(number), 0n);

/** With 800 further digits, of which the last is not zero where the division leaves something. */
function average(numbers: readonly number[]): number {
  const dividend = sumOf(numbers) * 10n ** 800n;
  const divisor = BigInt(numbers.length);
  const rest = dividend % divisor === 0n ? '0' : '1';
  return finite(Number(`${dividend / divisor}${rest}e-${SCALE + 801}`));
}

const AGGREGATES: Readonly<Record<string, (numbers: readonly number[]) => number>> = {
  sum: (numbers) => finite(Number(`${sumOf(numbers)}e-${SCALE}`)),
  average,
  minimum: (numbers) => numbers.reduce((one, other) => (one < other ? one : other)),
  maximum: (numbers) => numbers.reduce((one, other) => (one > other ? one : other)),
};

function measured(records: readonly Shown[], measure: string): number | null {
  if (measure === 'count') return records.length;
  const [kind = '', columnId = ''] = measure.split(':');
  const numbers = records.flatMap(({ values }) =>
    values[columnId] === undefined ? [] : (values[columnId].value as number),
  );
  return numbers.length === 0 ? null : AGGREGATES[kind]!(numbers);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The date that the clocks of the zone show. */
export function localDate(instant: string, zone: string): string {
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    });
  formatters.set(zone, formatter);
  const parts = formatter.formatToParts(new Date(instant));
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

const DAY_MS = 86_400_000;
const weekday = (milliseconds: number): number => (Math.round(milliseconds / DAY_MS) + 3 + 7_000_000) % 7;

/** By the rule that week 1 has 4 January. */
function weekOf(date: string): string {
  const day = Date.parse(`${date}T00:00:00Z`);
  const monday = day - weekday(day) * DAY_MS;
  const firstOf = (year: number) => {
    const fourth = Date.parse(`${String(year).padStart(4, '0')}-01-04T00:00:00Z`);
    return fourth - weekday(fourth) * DAY_MS;
  };
  const own = Number(date.slice(0, 4));
  const year = [own + 1, own, own - 1].find((candidate) => candidate <= 9999 && firstOf(candidate) <= monday)!;
  const week = Math.round((monday - firstOf(year)) / DAY_MS / 7) + 1;
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
}

function inUnit(date: string, unit: string): string {
  if (unit === 'week') return weekOf(date);
  return date.slice(0, { year: 4, month: 7, day: 10 }[unit]);
}

function groupOf(record: Shown & { updatedBy?: Group }, groupBy: string, zone: string): Group {
  const [name = '', unit = 'day'] = groupBy.split(':');
  if (name === 'createdBy' || name === 'updatedBy') return (record as unknown as Record<string, Group>)[name]!;
  if (name === 'createdAt' || name === 'updatedAt') return inUnit(localDate(record[name], zone), unit);
  const value = record.values[name];
  if (value === undefined) return null;
  if (value.type === 'User') return { id: value.id as string, name: value.name as string };
  if (value.type === 'Date') return inUnit(value.value as string, unit);
  if (value.type === 'DateTime') return inUnit(localDate(value.value as string, zone), unit);
  return value.value as Group;
}

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

function compareTexts(one: string, other: string): number {
  const [left, right] = [codePoints(one), codePoints(other)];
  const index = left.findIndex((point, at) => point !== right[at]);
  if (index === -1) return left.length - right.length;
  return right[index] === undefined ? 1 : left[index]! - right[index];
}

export function compareGroups(one: Group, other: Group): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'object' && typeof other === 'object') {
    return compareTexts(one.name, other.name) || compareTexts(one.id, other.id);
  }
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  return Number(one) - Number(other);
}

/** All groups in order, however many. */
export function figuresOver(records: readonly Shown[], { groupBy, measure = 'count', zone }: Question): ShownFigure[] {
  const measures = measure.split(',');
  const figure = (among: readonly Shown[]) => Object.fromEntries(measures.map((one) => [one, measured(among, one)]));
  if (groupBy === undefined) return [figure(records)];
  const groups = new Map<string, { group: Group; among: Shown[] }>();
  for (const record of records) {
    const group = groupOf(record, groupBy, zone);
    const key = JSON.stringify(group);
    if (!groups.has(key)) groups.set(key, { group, among: [] });
    groups.get(key)!.among.push(record);
  }
  return [...groups.values()]
    .sort((one, other) => compareGroups(one.group, other.group))
    .map(({ group, among }) => ({ group, ...figure(among) }));
}
