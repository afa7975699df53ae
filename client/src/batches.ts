// Any number of records in requests of bounded size: a source is read as fast as it is sent, an array that stopped half way
// goes on after the element that failed, and nothing is held whole.

import { inOrder } from './concurrency.ts';
import { type BatchProgress, CartularyError } from './errors.ts';
import { JsonText } from './raw.ts';
import { RETRY_LIMITS, sleep } from './retry.ts';
import type { RawRecord } from './shapes.ts';

/** Of the interface: elements of a request, and bytes of its body. */
const ELEMENTS_MAX = 100;
const BODY_BYTES_MAX = 1_048_576;
const BRACKETS_BYTES = 2;
/** As many as a person looks at: a source of millions may be wrong throughout. */
const ERRORS_MAX = 1_000;

export interface ManyOptions {
  /** Requests under way at once. With more than one, the order in which elements are applied is not that of the source. */
  readonly concurrency?: number | undefined;
  /** `stop` (the default): the first element that fails ends the work. `skip`: it is reported, and the others go on. */
  readonly onError?: 'stop' | 'skip' | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The `Idempotency-Key` of the request that begins with the element of that index, instead of one that is made up. With
   * keys of its own, a program that was killed can send the same source again within a day: nothing is created twice.
   */
  readonly idempotencyKey?: ((index: number) => string) | undefined;
}

/** What became of an element: a record, or with `onError: 'skip'` perhaps an error. `index` counts from 0 in the source. */
export type Outcome<Item> =
  | { readonly index: number; readonly record: Item; readonly error?: undefined }
  | { readonly index: number; readonly record?: undefined; readonly error: Error };

/**
 * An element failed and ended the work. The elements before it were applied; where `cause` is a `ConnectionError` or has
 * status 500 or more, it and those after it may have been applied too.
 */
export class BatchError<Item = unknown> extends Error {
  /** Of the element that failed, counted from 0 in the source. */
  readonly index: number;
  declare readonly cause: Error;
  /** What requests that were under way at the same time did to later elements. Empty unless there were several. */
  readonly alsoDone: readonly Outcome<Item>[];

  constructor({ index, error }: Stop, alsoDone: readonly Outcome<Item>[]) {
    super(`Element ${index} failed: ${error.message}`, { cause: error });
    this.name = 'BatchError';
    this.index = index;
    this.alsoDone = alsoDone;
  }
}

/** The outcomes of many elements in the order of the source. Reading them is what does the work. */
export interface Many<Item> extends AsyncIterable<Outcome<Item>> {
  /** Does all the work and counts what was done and what was skipped. `errors` has the first 1,000 that were skipped. */
  finish(): Promise<{ readonly done: number; readonly skipped: number; readonly errors: readonly Outcome<Item>[] }>;
}

/** How elements of one kind are sent. */
export interface Sending<Element, Item> {
  /** What makes the JSON of elements; asked for once for each request. */
  encoder(): Promise<(element: Element) => string>;
  send(elements: JsonText, idempotencyKey: string | undefined): Promise<readonly RawRecord[]>;
  decode(records: readonly RawRecord[]): Promise<readonly Item[]>;
}

interface Stop {
  readonly index: number;
  readonly error: Error;
}
/** A request's worth of elements, or one that cannot be sent. */
interface Batch {
  readonly index: number;
  readonly elements: readonly string[];
  readonly error?: Error;
  /** After a failure of the source there is nothing to go on with. */
  readonly isLast?: true;
}
interface Done<Item> {
  readonly outcomes: readonly Outcome<Item>[];
  readonly stop?: Stop;
}
type Options = ManyOptions & { readonly concurrency: number };

export function sendMany<Element, Item>(
  source: AsyncIterable<Element> | Iterable<Element>,
  sending: Sending<Element, Item>,
  options: Options,
): Many<Item> {
  const outcomes = () => run(source, sending, options);
  return {
    [Symbol.asyncIterator]: outcomes,
    finish: async () => {
      let done = 0;
      let skipped = 0;
      const errors: Outcome<Item>[] = [];
      for await (const outcome of outcomes()) {
        if (outcome.error === undefined) done += 1;
        else if (++skipped <= ERRORS_MAX) errors.push(outcome);
      }
      return { done, skipped, errors };
    },
  };
}

async function* run<Element, Item>(
  source: AsyncIterable<Element> | Iterable<Element>,
  sending: Sending<Element, Item>,
  options: Options,
): AsyncGenerator<Outcome<Item>, void, undefined> {
  let stop: Stop | undefined;
  const work = async (batch: Batch) => {
    const done = await sendBatch(batch, sending, options);
    stop ??= done.stop;
    return done;
  };
  const batches = split(source, sending, () => stop !== undefined || options.signal?.aborted === true);
  const alsoDone: Outcome<Item>[] = [];
  let stopped: Stop | undefined;
  for await (const done of inOrder(batches, options.concurrency, work)) {
    if (stopped !== undefined) alsoDone.push(...done.outcomes);
    else yield* done.outcomes;
    stopped ??= done.stop;
  }
  options.signal?.throwIfAborted();
  if (stopped !== undefined) throw new BatchError(stopped, alsoDone);
}

async function* split<Element, Item>(
  source: AsyncIterable<Element> | Iterable<Element>,
  { encoder }: Sending<Element, Item>,
  isOver: () => boolean,
): AsyncGenerator<Batch, void, undefined> {
  let body = new Body();
  let encode: ((element: Element) => string) | undefined;
  let index = 0;
  const take = (): Batch => {
    const { elements } = body;
    body = new Body();
    encode = undefined;
    return { index: index - elements.length, elements };
  };
  try {
    for await (const element of source) {
      if (isOver()) return;
      encode ??= await encoder();
      const text = encoded(encode, element);
      if (text instanceof Error) {
        if (body.elements.length > 0) yield take();
        yield { index: index++, elements: [], error: text };
        continue;
      }
      if (!body.fits(text)) yield take();
      body.add(text);
      index += 1;
    }
  } catch (error) {
    // The source itself failed: what it gave until then is sent, and the failure is told with its place.
    if (body.elements.length > 0) yield take();
    yield { index, elements: [], error: error as Error, isLast: true };
    return;
  }
  if (body.elements.length > 0 && !isOver()) yield take();
}

function encoded<Element>(encode: (element: Element) => string, element: Element): string | Error {
  try {
    return encode(element);
  } catch (error) {
    return error as Error;
  }
}

const utf8 = new TextEncoder();

/** The elements of a request, within its bounds. */
class Body {
  readonly elements: string[] = [];
  /** Not less than the bytes have: a character of a text is at most three. Counted exactly only where that is too many. */
  #bytesMax = BRACKETS_BYTES;

  fits(text: string): boolean {
    if (this.elements.length === 0) return true;
    if (this.elements.length === ELEMENTS_MAX) return false;
    if (this.#bytesMax + 3 * text.length + 1 <= BODY_BYTES_MAX) return true;
    const bytes = this.elements.reduce((sum, each) => sum + utf8.encode(each).length + 1, BRACKETS_BYTES);
    this.#bytesMax = bytes;
    return bytes + utf8.encode(text).length + 1 <= BODY_BYTES_MAX;
  }

  add(text: string): void {
    this.elements.push(text);
    this.#bytesMax += 3 * text.length + 1;
  }
}

async function sendBatch<Element, Item>(
  { index, elements, error: refused, isLast }: Batch,
  { send, decode }: Sending<Element, Item>,
  { onError = 'stop', idempotencyKey, signal }: Options,
): Promise<Done<Item>> {
  const outcomes: Outcome<Item>[] = [];
  if (refused !== undefined) {
    return onError === 'skip' && !isLast
      ? { outcomes: [{ index, error: refused }] }
      : { outcomes, stop: { index, error: refused } };
  }
  let next = 0;
  const note = async (records: readonly RawRecord[]) => {
    for (const record of await decode(records)) outcomes.push({ index: index + next++, record });
  };
  for (let failures = 0; next < elements.length; ) {
    const rest = elements.slice(next);
    try {
      await note(await send(new JsonText(`[${rest.join(',')}]`), idempotencyKey?.(index + next)));
    } catch (error) {
      if (signal?.aborted || !(error instanceof Error)) throw error;
      const applied = appliedBy(error);
      await note(applied);
      failures = applied.length > 0 ? 1 : failures + 1;
      if (isBusy(error) && failures <= RETRY_LIMITS.retries) await sleep(waitMs(error, failures), signal);
      else if (onError === 'skip' && isOfElement(error, rest.length)) {
        outcomes.push({ index: index + next++, error });
      } else return { outcomes, stop: { index: index + next, error } };
    }
  }
  return { outcomes };
}

function progressOf(error: Error): BatchProgress {
  return error instanceof CartularyError ? (error.params as BatchProgress) : {};
}

function appliedBy(error: Error): readonly RawRecord[] {
  const { insertedRecords, updatedRecords, upsertedRecords } = progressOf(error);
  return insertedRecords ?? updatedRecords ?? upsertedRecords ?? [];
}

/** The server stopped half way for want of time or room, and says how far it came. */
const isBusy = (error: Error): error is CartularyError =>
  error instanceof CartularyError && error.status === 503 && progressOf(error).recordIndex !== undefined;

const waitMs = ({ retryAfterSeconds = 1 }: CartularyError, failures: number): number =>
  (retryAfterSeconds + Math.random()) * 1000 * failures;

/** The error is about one element, and the next may be better. */
function isOfElement(error: Error, count: number): boolean {
  if (!(error instanceof CartularyError) || error.status >= 500) return false;
  return progressOf(error).recordIndex !== undefined || (count === 1 && error.is('INVALID_BODY'));
}
