// Files of the file system as the formats read them.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ByteSource } from '../../../moving/formats/text.ts';

export async function fileSource(file: string): Promise<ByteSource> {
  const { size } = await stat(file);
  return {
    name: file,
    size,
    // A range of no bytes cannot be named.
    read: (from, to) => (to <= from ? noBytes() : createReadStream(file, { start: from, end: to - 1 })),
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
