// The journals of imports in this browser, so that an import goes on after a reload or a crash. What a journal holds is
// only how far an import is, and why rows were rejected.

import { isFinished, Journal, type JournalHead, type JournalLine } from '../../../../src/moving/import/journal.ts';
import type { Choices } from '../choices.ts';
import type { Place, Remembered } from '../work.ts';

const NAME = 'cartulary.imports';
const KEPT_MS = 30 * 86_400_000;

interface KeptHead extends JournalHead {
  /** Whose import it is, into which collection. */
  readonly place: string;
  readonly choices: Choices;
}

export interface Kept {
  readonly head: KeptHead;
  readonly lines: readonly JournalLine[];
}

export const placeOf = ({ application, collection, user }: Place): string =>
  [application.id, collection, user].join('/');

function asked<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= (async () => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('heads', { keyPath: 'id' });
      request.result.createObjectStore('lines', { autoIncrement: true }).createIndex('journal', 'journal');
    };
    return await asked(request);
  })();
  return opened;
}

/** Those of one person and collection, the latest first. Old ones are forgotten on the way. */
export async function keptJournals(place: string): Promise<Kept[]> {
  const stores = (await database()).transaction(['heads', 'lines']);
  const heads = await asked<KeptHead[]>(stores.objectStore('heads').getAll());
  const index = stores.objectStore('lines').index('journal');
  const own = heads.filter((head) => head.place === place);
  const kept = await Promise.all(own.map(async (head) => ({ head, lines: await linesOf(index, head.id) })));
  const old = heads.filter(({ startedAt }) => Date.now() - Date.parse(startedAt) > KEPT_MS);
  for (const { id } of old) await forgetJournal(id);
  return kept
    .filter(({ head }) => !old.includes(head))
    .sort((one, other) => other.head.startedAt.localeCompare(one.head.startedAt));
}

async function linesOf(index: IDBIndex, id: string): Promise<JournalLine[]> {
  const found = await asked<{ readonly line: JournalLine }[]>(index.getAll(id));
  return found.map(({ line }) => line);
}

export async function forgetJournal(id: string): Promise<void> {
  const stores = (await database()).transaction(['heads', 'lines'], 'readwrite');
  stores.objectStore('heads').delete(id);
  const lines = stores.objectStore('lines');
  for (const key of await asked(lines.index('journal').getAllKeys(id))) lines.delete(key);
  await finished(stores);
}

export async function beginJournal(head: Omit<KeptHead, 'id' | 'startedAt'>): Promise<Journal> {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0'));
  const whole: KeptHead = { ...head, id: id.join(''), startedAt: new Date().toISOString() };
  const stores = (await database()).transaction('heads', 'readwrite');
  stores.objectStore('heads').add(whole);
  await finished(stores);
  return goOnWith({ head: whole, lines: [] });
}

export const goOnWith = ({ head, lines }: Kept): Journal =>
  new Journal(head, lines, async (line) => {
    const stores = (await database()).transaction('lines', 'readwrite');
    stores.objectStore('lines').add({ journal: head.id, line });
    await finished(stores);
  });

export function rememberedOf({ head, lines }: Kept): Remembered {
  const end = lines.find((line) => 'finished' in line);
  return {
    choices: head.choices,
    file: head.file,
    stored: new Journal(head, lines, () => undefined).stored,
    finishedAt: end !== undefined && isFinished(lines) ? end.finished : undefined,
  };
}
