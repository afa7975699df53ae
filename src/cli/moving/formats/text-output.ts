// Writing to a stream that may be slow: waits until it takes more.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

export async function writeText(output: Writable, text: string | Uint8Array): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

export async function endText(output: Writable, text: string): Promise<void> {
  output.end(text);
  await finished(output, { readable: false });
}
