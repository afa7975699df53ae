// A file that a person chose, in pieces: never the whole of it is in memory.

import type { ByteSource } from '../../../../src/moving/formats/text.ts';

export const bytesOf = (file: File): ByteSource => ({
  name: file.name,
  size: file.size,
  read: (from, to) => piecesOf(file.slice(from, to)),
});

/** Not every browser can iterate over a stream. */
export async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
