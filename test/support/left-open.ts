// What a test has opened is closed when the tests of its process are over, also where the hook that should have closed it
// has thrown before it came to it: a server that stays open keeps the process alive until the suite's timeout.

type Close = () => Promise<unknown>;

const open = new Set<Close>();

/** The same `close`, called at the end unless the test has called it. */
export function closedAtLast(close: Close): () => Promise<void> {
  const closing = async () => {
    open.delete(closing);
    await close();
  };
  open.add(closing);
  return closing;
}

/** Calls all of them, one after the other, and throws the first error at the end. */
export async function closeAll(...closes: readonly Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closes) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Called at the end of every process of the suite (scripts/test-processes.mjs). */
export const closeLeftOpen = (): Promise<void> => closeAll(...[...open].reverse());
