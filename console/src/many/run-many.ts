// The same for many records, one request each: only a request for one record can be refused when somebody else has changed
// it since (`If-Match`). Each record is tried once.

export interface Refusal<Target> {
  readonly target: Target;
  readonly error: unknown;
}

export interface Outcome<Target> {
  readonly done: number;
  readonly refused: readonly Refusal<Target>[];
  /** Not tried: it was stopped, or the server could not go on. */
  readonly left: readonly Target[];
  /** Why the server could not go on. */
  readonly halted: unknown;
}

interface Run {
  /** More at once gains little: the server shares its time among its users. */
  readonly concurrency: number;
  /** Aborted: nothing new is begun, and what is under way is waited for. */
  readonly signal: AbortSignal;
  /** Of this one alone; another error ends the run. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly onProgress: (tried: number) => void;
}

export async function runMany<Target>(
  targets: readonly Target[],
  work: (target: Target) => Promise<void>,
  { concurrency, signal, isRefusal, onProgress }: Run,
): Promise<Outcome<Target>> {
  let next = 0;
  let done = 0;
  let halted: unknown;
  const refused: Refusal<Target>[] = [];
  const unfinished: Target[] = [];
  const worker = async () => {
    while (next < targets.length && halted === undefined && !signal.aborted) {
      const target = targets[next++] as Target;
      try {
        await work(target);
        done += 1;
      } catch (error) {
        if (isRefusal(error)) refused.push({ target, error });
        else {
          halted ??= error;
          unfinished.push(target);
        }
      }
      onProgress(done + refused.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { done, refused, left: [...unfinished, ...targets.slice(next)], halted };
}
