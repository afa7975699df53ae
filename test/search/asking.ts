// One question, put to the server over HTTP page by page and to the oracle, and what to say when they differ.

import type { Scene } from '../support/records.ts';
import type { Reply } from '../support/server.ts';
import type { Asker, Filled } from './filling.ts';
import { matches, problemOf } from './oracle/matches.ts';
import { compare, DEFAULT_SORT, type Sort } from './oracle/order.ts';
import type { Query } from './oracle/query.ts';
import type { Collection, Setting, World } from './oracle/world.ts';
import { ZONE } from './scheme.ts';

export interface Question {
  readonly collection: Collection;
  readonly caller: Asker;
  readonly query: Query;
  /** The query as it is spelled. */
  readonly text: string;
  /** The application's when absent. */
  readonly zone?: string | undefined;
  readonly sort?: Sort | undefined;
  readonly limit: number;
  readonly walk: 'skip' | 'after' | 'link';
}

/** Identifiers in order, or the refusal. */
export type Answer = { readonly ids: readonly string[] } | { readonly refused: string };

export const settingOf = ({ caller, zone, collection }: Omit<Question, 'query' | 'text'>, world: World): Setting => ({
  world,
  caller,
  columns: collection.columns,
  zone: zone ?? ZONE,
  now: Date.now(),
});

export function expectedAnswer(question: Question, { world }: Filled): Answer {
  const { query, collection, caller, sort = DEFAULT_SORT } = question;
  const setting = settingOf(question, world);
  if (problemOf(query, setting) !== undefined) return { refused: 'INVALID_SEARCH' };
  const found = world.readable(collection.id, caller).filter((record) => matches(query, record, setting));
  return { ids: found.sort((a, b) => compare(a, b, sort, setting)).map(({ id }) => id) };
}

export function parametersOf({ text, zone, sort }: Pick<Question, 'text' | 'zone' | 'sort'>): URLSearchParams {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('search', text);
  if (zone !== undefined) parameters.set('timezone', zone);
  if (sort !== undefined) {
    parameters.set('sortKey', sort.key);
    parameters.set('sortOrder', sort.descending ? 'descending' : 'ascending');
    if (sort.columnId !== undefined) parameters.set('sortColumnId', sort.columnId);
  }
  return parameters;
}

export async function serversAnswer(question: Question, scene: Scene): Promise<Answer> {
  const { collection, caller, limit, walk } = question;
  const { app, server } = scene;
  const first = `/v1/${app.id}${app.records(collection.name)}?${parametersOf(question)}&limit=${limit}`;
  const ids: string[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const reply: Reply = await server.send('GET', path, { token: caller.token });
    if (reply.status !== 200) return { refused: refusalOf(reply) };
    const page = (reply.body as { id: string }[]).map(({ id }) => id);
    ids.push(...page);
    if (walk === 'link') path = nextOf(reply);
    else if (page.length < limit) path = undefined;
    else path = `${first}&${walk === 'skip' ? `skip=${ids.length}` : `after=${ids.at(-1)}`}`;
    // A walk that does not end would never be told.
    if (ids.length > 10_000) throw new Error('the pages do not end');
  }
  return { ids };
}

/** Only a refusal in its full form counts as one. */
function refusalOf({ status, body, text }: Reply): string {
  const { message, position } = body?.params ?? {};
  const isWhole = status === 400 && typeof message === 'string' && Number.isInteger(position);
  return isWhole ? String(body.code) : `${status} ${text}`;
}

function nextOf({ headers }: Reply): string | undefined {
  const next = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (next === undefined) return undefined;
  const { pathname, search } = new URL(next, 'http://127.0.0.1');
  return pathname + search;
}

/** What differs; undefined when nothing does. Around midnight the day may change while the server answers. */
export async function differenceOf(
  question: Question,
  scene: Scene,
  filled: Filled,
  before = expectedAnswer(question, filled),
): Promise<string | undefined> {
  const answer = await serversAnswer(question, scene);
  const [wanted, got] = [JSON.stringify(before), JSON.stringify(answer)];
  if (wanted === got || JSON.stringify(expectedAnswer(question, filled)) === got) return undefined;
  return describe(before, answer, question, filled);
}

function describe(expected: Answer, answer: Answer, { collection, caller }: Question, { world }: Filled): string {
  if ('refused' in expected) return `must be refused, but was answered with ${JSON.stringify(answer).slice(0, 300)}`;
  if ('refused' in answer) return `was refused: ${answer.refused}`;
  const shown = (id: string | undefined) => {
    const record = world.all(collection.id).find((one) => one.id === id);
    const resolved = Object.values(record?.values ?? {}).flatMap((value) =>
      'recordId' in value
        ? [[value.columnId, world.resolve(value, caller)?.type ? world.resolve(value, caller) : null]]
        : [],
    );
    return `${JSON.stringify(record).slice(0, 4000)}\n  references: ${JSON.stringify(resolved)}`;
  };
  const counts = `${expected.ids.length} expected, ${answer.ids.length} found`;
  const missing = expected.ids.find((id) => !answer.ids.includes(id));
  if (missing !== undefined) return `${counts}; must be found: ${shown(missing)}`;
  const extra = answer.ids.find((id) => !expected.ids.includes(id));
  if (extra !== undefined) return `${counts}; must not be found: ${shown(extra)}`;
  const place = expected.ids.findIndex((id, index) => id !== answer.ids[index]);
  return `${counts}; in another order from place ${place}: expected ${shown(expected.ids[place])}\n  found ${shown(answer.ids[place])}`;
}
