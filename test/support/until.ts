// Waits for what happens by itself, with a bound that only a broken server reaches.

import assert from 'node:assert/strict';

const PATIENCE_MS = 60_000;

export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const late = performance.now() + PATIENCE_MS;
  while (!(await happened())) {
    assert.ok(performance.now() < late, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
