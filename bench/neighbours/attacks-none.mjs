// @ts-check
// What the measurement itself costs: an attacker that keeps its processors busy and sends nothing.

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { attack } from './attack.mjs';

const SPIN = 'for (;;);';

export const NONE = [
  attack({
    name: 'none',
    sentence:
      'sends nothing, but keeps all processors busy like the busiest attacker: what the measurement itself costs',
    run: async ({ signal }) => {
      const spinning = Array.from({ length: availableParallelism() }, () => new Worker(SPIN, { eval: true }));
      if (!signal.aborted) await once(signal, 'abort');
      await Promise.all(spinning.map((worker) => worker.terminate()));
    },
  }),
];
