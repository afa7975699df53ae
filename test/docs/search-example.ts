// The example of docs/search.md made real: its document published, its people, customers and jobs created as its tables
// tell them.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Column } from '../../src/wire/applications.ts';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { allTablesOf, blocksOf, codeIn } from '../support/markdown.ts';
import type { TestServer } from '../support/server.ts';

/** A row of a table by the names in its head; a blank cell is left out. */
export type Row = Readonly<Record<string, string>>;

export interface Example {
  readonly app: TestApplication;
  readonly columns: readonly Column[];
  readonly caller: Person;
  /** The ID of each job, by its number. */
  readonly jobs: ReadonlyMap<string, string>;
  rename(customer: string, name: string): Promise<void>;
}

/** Who asks on the page. */
const CALLER = 'Naomi Sato';
const ZONE = 'Asia/Tokyo';
const DAY_MS = 86_400_000;
const MIDNIGHT_MARGIN_MS = 60_000;

export const rowsOf = ({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }): Row[] =>
  rows.map((cells) =>
    Object.fromEntries(head.flatMap((name, index) => (cells[index] ? [[plainName(name), cells[index]]] : []))),
  );

const plainName = (cell: string): string => codeIn(cell) ?? cell;

const tablesHeaded = (...head: string[]): Row[] =>
  allTablesOf('search')
    .filter((table) => head.every((name) => table.head.includes(name)))
    .flatMap(rowsOf);

/** The rows of both tables of jobs, joined by their number. */
function jobRows(): Row[] {
  const rows = new Map<string, Row>();
  for (const table of allTablesOf('search').filter(({ head }) => head[0] === 'No')) {
    for (const row of rowsOf(table)) rows.set(row.No ?? '', { ...rows.get(row.No ?? ''), ...row });
  }
  return [...rows.values()];
}

export async function loadExample(server: TestServer): Promise<Example> {
  await awayFromMidnight();
  const document = JSON.parse(
    blocksOf('search').find(({ mark }) => mark === 'publish document: jobs.json')?.text ?? '',
  );
  const app = await publishApplication(server, document);
  const definition = await app.send('GET', '');
  const collection = (definition.body.collections as { name: string; columns: Column[] }[]).find(
    ({ name }) => name === 'Jobs',
  );
  const columns = collection?.columns ?? [];
  const customerRows = tablesHeaded('Customer', 'Created by').filter((row) => row.No === undefined);
  const jobs = jobRows();
  const people = new Map<string, Person>();
  for (const name of new Set([...customerRows, ...jobs].flatMap((row) => [row['Created by'], row.Worker]))) {
    if (name !== undefined) people.set(name, await app.addPerson(name));
  }
  const create = async (path: string, creator: string | undefined, values: object): Promise<string> => {
    const { token } = people.get(creator ?? '')!;
    const created = await app.send('POST', path, { token, json: { values } });
    assert.equal(created.status, 200, created.text);
    return created.body.id;
  };
  const customerValues = (name: string) => ({ [app.ids.Customers!.Name!]: { type: 'String', value: name } });
  const customers = new Map<string, string>();
  for (const { Customer: name = '', 'Created by': creator } of customerRows) {
    customers.set(name, await create(app.records('Customers'), creator, customerValues(name)));
  }
  const known: Known = { app, people, customers };
  const ids = new Map<string, string>();
  for (const row of jobs) {
    const values = columns.flatMap((column) => {
      const cell = row[column.name];
      return cell === undefined ? [] : [[column.id, readCell(column, cell, known)]];
    });
    ids.set(row.No ?? '', await create(app.records('Jobs'), row['Created by'], Object.fromEntries(values)));
  }
  return {
    app,
    columns,
    caller: people.get(CALLER)!,
    jobs: ids,
    rename: async (customer, name) => {
      const path = app.records('Customers', customers.get(customer));
      const renamed = await app.send('PUT', path, { json: { values: customerValues(name) } });
      assert.equal(renamed.status, 200, renamed.text);
    },
  };
}

/** What is created and asked for must fall on one day. */
async function awayFromMidnight(): Promise<void> {
  const left = Date.parse(`${dayIn(1)}T00:00:00+09:00`) - Date.now();
  if (left < MIDNIGHT_MARGIN_MS) await sleep(left + 1);
}

/** The date in Tokyo so many days from now. */
const dayIn = (days: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(Date.now() + days * DAY_MS);

interface Known {
  readonly app: TestApplication;
  readonly people: ReadonlyMap<string, Person>;
  readonly customers: ReadonlyMap<string, string>;
}

type Typed = Pick<Column, 'type'> & { readonly scheme?: unknown };

/** The value that a cell of the page stands for. */
function readCell(column: Typed, cell: string, known: Known): object {
  const { type } = column;
  const text = codeIn(cell) ?? cell;
  switch (type) {
    case 'String':
      return { type, value: text === '""' ? '' : text };
    case 'Number':
    case 'Boolean':
      return { type, value: JSON.parse(text) };
    case 'DateTime':
    case 'Time':
      return { type, value: text };
    case 'Date':
      return { type, value: dateOf(text) };
    case 'Location': {
      const [latitude, longitude] = text.split(', ').map(Number);
      return { type, latitude, longitude };
    }
    case 'User':
      return { type, id: known.people.get(text)?.id };
    case 'ReferenceString':
      return { type, ...(column.scheme as object), recordId: known.customers.get(text) };
    case 'Array': {
      const { element } = column.scheme as { element: Typed };
      const separator = element.type === 'Object' ? ' / ' : ', ';
      const cells = text === '[]' ? [] : text.split(separator);
      return { type, value: cells.map((one) => readCell(element, one, known)) };
    }
    case 'Object':
      return { type, value: Object.fromEntries(text === '{}' ? [] : text.split('; ').map(keyOf(column, known))) };
    default:
      throw new Error(`the page has no ${type}`);
  }
}

const keyOf = (column: Typed, known: Known) => (text: string) => {
  const [name = '', cell = ''] = text.split(': ');
  const key = (column.scheme as { keys: (Typed & { name: string })[] }).keys.find((one) => one.name === name);
  assert.ok(key !== undefined, `no key is called ${name}`);
  return [name, readCell(key, cell, known)];
};

/** A date, or one in words: `yesterday`, `in 40 days`, `40 days ago`. */
function dateOf(text: string): string {
  const near = ['yesterday', 'today', 'tomorrow'].indexOf(text);
  if (near >= 0) return dayIn(near - 1);
  const [, ahead, ago] = /^(?:in (\d+) days|(\d+) days ago)$/.exec(text) ?? [];
  if (ahead === undefined && ago === undefined) return text;
  return dayIn(Number(ahead ?? 0) - Number(ago ?? 0));
}
