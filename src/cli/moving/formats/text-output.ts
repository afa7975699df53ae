// Writing to a stream that may be slow: waits until it takes more.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { TextOutput } from '../../../moving/formats/table.ts';

export async function writeText(output: Writable, text: string | Uint8Array): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

export const textOutput = (output: Writable): TextOutput => ({
  write: (text) => writeText(output, text),
  async end(text) {
    output.end(text);
    await finished(output, { readable: false });
  },
});
