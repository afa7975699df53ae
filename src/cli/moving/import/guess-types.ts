// The types of columns of a file for which there is no collection yet, guessed from all of its first rows: a type is
// taken only if every cell fits it.

import type { Cell } from '../../../moving/formats/table.ts';
import { CellProblem } from '../../../moving/problems.ts';
import {
  type DateOrder,
  orderIn,
  readDateCell,
  readDateTimeCell,
  readTimeCell,
} from '../../../moving/values/cell-dates.ts';
import { readNumberCell } from '../../../moving/values/cell-numbers.ts';
import type { CellReading } from '../../../moving/values/cell-values.ts';
import type { ColumnInput } from '../../../wire/publish-document.ts';

type GuessedName = 'Boolean' | 'Number' | 'Date' | 'DateTime' | 'Time' | 'String';

/** In the order in which they are preferred. */
const PREFERRED: readonly GuessedName[] = ['Boolean', 'Number', 'Date', 'DateTime', 'Time', 'String'];

export interface GuessedColumn {
  readonly name: string;
  readonly column: Pick<ColumnInput, 'type' | 'scheme'>;
}

const WORDS = /^(?:true|false|yes|no)$/i;
/** Codes such as 00123, and numbers that a double cannot hold to the last digit. */
const NO_NUMBER = /^[+-]?0\d|^\D*\d(?:\D*\d){15}/;

export class ColumnGuess {
  readonly #left = new Set<GuessedName>(PREFERRED);
  readonly #elements: ColumnGuess | undefined;
  readonly #keys = new Map<string, ColumnGuess>();
  readonly #orders = new Set<DateOrder>();
  #isArray = false;
  #isObject = false;
  #isText = false;
  #dates = 0;

  constructor(depth = 0) {
    this.#elements = depth < 2 ? new ColumnGuess(depth + 1) : undefined;
    this.#depth = depth;
  }
  readonly #depth: number;

  add(cell: Cell, reading: CellReading): void {
    if (cell === undefined || cell === null || cell === '') return;
    if (Array.isArray(cell)) {
      this.#isArray = true;
      for (const element of cell) this.#elements?.add(element, reading);
    } else if (typeof cell === 'object') {
      this.#isObject = true;
      for (const [key, value] of Object.entries(cell)) this.#keyed(key).add(value, reading);
    } else {
      this.#isText = true;
      this.#addText(cell, reading);
    }
  }

  /** Undefined for what no column can hold, such as a list of lists. */
  get column(): GuessedColumn['column'] | undefined {
    if ([this.#isArray, this.#isObject, this.#isText].filter(Boolean).length > 1) return undefined;
    if (this.#isArray) return this.#arrayColumn();
    return this.#isObject ? this.#objectColumn() : { type: this.#simple() };
  }

  #keyed(key: string): ColumnGuess {
    const known = this.#keys.get(key) ?? new ColumnGuess(this.#depth + 1);
    this.#keys.set(key, known);
    return known;
  }

  #addText(cell: unknown, reading: CellReading): void {
    const text = String(cell).trim();
    const order = orderIn(text);
    if (order !== undefined) this.#orders.add(order);
    for (const type of this.#left) if (!isOf(type, cell, text, reading)) this.#left.delete(type);
    this.#dates += 1;
  }

  #simple(): GuessedName {
    if (this.#dates === 0) return 'String';
    const found = PREFERRED.find((type) => this.#left.has(type)) ?? 'String';
    // Some of the dates have the day first and others the month: no order reads them all.
    return this.#orders.size > 1 && found.startsWith('Date') ? 'String' : found;
  }

  #arrayColumn(): GuessedColumn['column'] | undefined {
    const element = this.#elements?.column;
    if (element === undefined || element.type === 'Array') return undefined;
    return { type: 'Array', scheme: { element } } as GuessedColumn['column'];
  }

  #objectColumn(): GuessedColumn['column'] | undefined {
    const names = [...this.#keys.keys()].sort().join();
    if (names === 'latitude,longitude' || names === 'altitude,latitude,longitude') return { type: 'Location' };
    const keys = [...this.#keys].map(([name, guess]) => ({ name, type: guess.column?.type ?? 'Object' }));
    const isFlat = keys.every(({ type }) => type !== 'Array' && type !== 'Object');
    return isFlat && keys.length > 0 ? ({ type: 'Object', scheme: { keys } } as GuessedColumn['column']) : undefined;
  }
}

function isOf(type: GuessedName, cell: unknown, text: string, reading: CellReading): boolean {
  if (type === 'String') return true;
  if (typeof cell === 'boolean') return type === 'Boolean';
  if (typeof cell === 'number') return type === 'Number';
  if (type === 'Boolean') return WORDS.test(text);
  if (type === 'Number') return !NO_NUMBER.test(text) && reads(() => readNumberCell(text, reading.decimalComma));
  if (type === 'Date') return reads(() => readDateCell(text, reading));
  return type === 'Time' ? reads(() => readTimeCell(text)) : reads(() => readDateTimeCell(text, reading));
}

function reads(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof CellProblem) return false;
    throw error;
  }
}
