// Waits for what happens by itself, with a bound that only a broken server reaches.

import assert from 'node:assert/strict';

const PATIENCE_MS = 10_000;

export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const late = performance.now() + PATIENCE_MS;
  while (!(await happened())) {
    assert.ok(performance.now() < late, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

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
