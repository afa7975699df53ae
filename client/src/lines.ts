// The lines of a reply as they arrive, such as those of the activity log's export.

import { ConnectionError } from './errors.ts';

export async function* readLines(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isWhole = false;
  try {
    while (!isWhole) {
      const { done, value } = await read(reader);
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop() ?? '';
      isWhole = done;
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    // The rest of what is not read to its end is not wanted.
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new ConnectionError('The connection was cut while lines arrived.', { cause: error });
  }
}
