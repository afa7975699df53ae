// What the tests of lists share: asking for a page, walking through all pages in the three ways there are, and giving
// records values by the names of their columns.

import assert from 'node:assert/strict';
import { done, operationsOn, type Scene } from './records.ts';
import type { Reply } from './server.ts';

export type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface Shown {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: { readonly id: string; readonly name: string };
  readonly values: Readonly<Record<string, { readonly type: string; readonly [member: string]: unknown }>>;
}

/** One page, as the admin unless another token is given. */
export interface Lister {
  readonly page: (parameters?: Parameters) => Promise<Reply>;
  readonly all: (parameters?: Parameters) => Promise<Shown[]>;
  readonly ids: (parameters?: Parameters) => Promise<string[]>;
}

export function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

export function listerOf({ app }: Scene, collection: string, token = app.admin.token): Lister {
  const page = (parameters: Parameters = {}) =>
    app.send('GET', app.records(collection) + queryOf(parameters), { token });
  const all = async (parameters: Parameters = {}) => done(await page(parameters)) as Shown[];
  return { page, all, ids: async (parameters) => (await all(parameters)).map(({ id }) => id) };
}

/** The parameters of an order. */
export const by = (sortKey: string, sortOrder: 'ascending' | 'descending', sortColumnId?: string): Parameters => ({
  sortKey,
  sortOrder,
  sortColumnId,
});

export const DIRECTIONS = ['ascending', 'descending'] as const;

/** Where the Link header leads, as parameters of the next page. */
export function nextOf({ headers }: Reply): Parameters | undefined {
  const link = headers.get('link');
  if (link === null) return undefined;
  const address = /^<(http:\/\/[^>]+)>; rel="next"$/.exec(link)?.[1];
  assert.ok(address, link);
  return Object.fromEntries(new URL(address).searchParams);
}

export const WALKS = ['skip', 'after', 'link'] as const;
export type Walk = (typeof WALKS)[number];

export interface Walking {
  readonly walk: Walk;
  readonly limit: number;
  /** Called with what has been seen, before the next page is asked for. */
  readonly between?: (ids: readonly string[]) => Promise<unknown>;
}

const PAGES_MAX = 2_000;

/** The identifiers of all pages, in the order in which they came. */
export async function walkAll(lister: Lister, order: Parameters, { walk, limit, between }: Walking): Promise<string[]> {
  const seen: string[] = [];
  let pages = 0;
  for (let next: Parameters | undefined = { ...order, limit }; next !== undefined; ) {
    const reply = await lister.page(next);
    const ids = (done(reply) as Shown[]).map(({ id }) => id);
    assert.ok(ids.length <= limit);
    pages += 1;
    assert.ok(pages < PAGES_MAX, 'the pages do not end');
    seen.push(...ids);
    await between?.(seen);
    if (walk === 'link') next = nextOf(reply);
    else if (ids.length === 0) next = undefined;
    else next = { ...order, limit, ...(walk === 'skip' ? { skip: seen.length } : { after: seen.at(-1)! }) };
  }
  return seen;
}

/** Creates the records in batches and gives their identifiers in the order of `elements`. */
export async function createAll(
  { app }: Scene,
  collection: string,
  elements: readonly { readonly values: object; readonly creatorId?: string }[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < elements.length; start += 100) {
    const created = done(await operationsOn(app, collection).createMany(elements.slice(start, start + 100)));
    ids.push(...(created as Shown[]).map(({ id }) => id));
  }
  return ids;
}
