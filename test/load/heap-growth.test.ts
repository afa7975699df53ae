// How far the heap grows between two full collections, in processes of their own.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const MODULE = new URL('../../src/load/heap-growth.js', import.meta.url).href;
/** 16 MB in use, of which every part becomes garbage once it is old. */
const CHURN = `
const ring = Array(20_000);
let most = 0;
for (let n = 0; n < 200_000; n++) {
  ring[n % ring.length] = Array(100).fill(n + 0.5);
  if (n % 1_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
}
console.log(most);`;

const most = async (chosen: readonly string[], first = '') => {
  const args = [...chosen, '--input-type=module', '--eval', first + CHURN];
  return Number((await promisify(execFile)(process.execPath, args)).stdout) / 2 ** 20;
};
const BOUND = `import { boundHeapGrowth, widenHeapGrowth } from '${MODULE}'; boundHeapGrowth();`;
const WIDENED = `${BOUND} widenHeapGrowth();`;

it('the heap grows less between two collections than it would, unless a growth was chosen', async () => {
  const [as, bounded, chosen] = [
    await most([]),
    await most([], BOUND),
    await most(['--heap-growing-percent=300'], BOUND),
  ];
  assert.ok(bounded < 0.85 * as, `${bounded} of ${as} MB`);
  assert.ok(bounded < 0.85 * chosen, `${bounded} of ${chosen} MB`);
});

it('it grows further while heavy work goes on beside others, unless a growth was chosen', async () => {
  const [bounded, widened, chosen] = [
    await most([], BOUND),
    await most([], WIDENED),
    await most(['--heap-growing-percent=100'], WIDENED),
  ];
  assert.ok(bounded < 0.85 * widened, `${bounded} of ${widened} MB`);
  assert.ok(chosen < 0.85 * widened, `${chosen} of ${widened} MB`);
});
