// What a change must have come to within a second, on every server.

import assert from 'node:assert/strict';

/** Exact whatever the machine does: it is about requests that begin a second after the change. */
export async function withinASecond(what: string, happened: () => Promise<boolean>): Promise<void> {
  const changed = performance.now();
  for (;;) {
    const asked = performance.now();
    if (await happened()) return;
    assert.ok(asked - changed < 1000, `${what}: not yet, in a request that began a second after the change`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
