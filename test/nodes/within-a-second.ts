// The promise that every node honours a change within a second.

import assert from 'node:assert/strict';

/** Exact on a slow machine too: only a request that begins a second after the change can fail the test. */
export async function withinASecond(what: string, happened: () => Promise<boolean>): Promise<void> {
  const changed = performance.now();
  for (;;) {
    const asked = performance.now();
    if (await happened()) return;
    assert.ok(asked - changed < 1000, `${what}: not yet, in a request that began a second after the change`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
