// What the server asks of the Node that runs it, and what it says of one without security updates.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { adviceAboutNode, restartWithHeapFlags } from '../../src/cli/runtime.ts';

type Runtime = NonNullable<Parameters<typeof restartWithHeapFlags>[0]>;

/** The arguments of the process that takes the place of this one. */
function restarted(runtime: Partial<Runtime>): readonly string[] | undefined {
  let given: readonly string[] | undefined;
  restartWithHeapFlags({
    ...{
      version: 'v24.1.0',
      execPath: '/node',
      execArgv: ['--cpu-prof'],
      argv: ['/node', '/main.js', 'serve'],
      env: {},
    },
    execve: (_file, args) => {
      given = args;
    },
    ...runtime,
  });
  return given;
}

it('a Node that would take a larger young generation is started again with a smaller one and fewer threads, once', () => {
  const flags = ['--max-semi-space-size=16', '--v8-pool-size=1', '--no-memory-reducer', '--cpu-prof'];
  assert.deepEqual(restarted({}), ['/node', ...flags, '/main.js', 'serve']);
  assert.equal(restarted({ execArgv: flags }), undefined);
});

it('a size that was chosen, a channel to a parent, and a Node that takes no more or cannot be replaced stay', () => {
  assert.equal(restarted({ execArgv: ['--max_semi_space_size=32'] }), undefined);
  assert.equal(restarted({ env: { NODE_OPTIONS: '--no-warnings --max-semi-space-size=32' } }), undefined);
  assert.equal(restarted({ send: () => true }), undefined);
  assert.equal(restarted({ version: 'v22.15.0' }), undefined);
  const execve = () => {
    throw new Error('not permitted');
  };
  assert.doesNotThrow(() => restarted({ execve }));
});

it('a Node without security updates is named, and the one that is recommended', () => {
  const now = new Date('2026-11-16T00:00:00Z');
  assert.equal(
    adviceAboutNode('v20.20.2', now),
    'Node 20 has had no security updates since April 2026. Cartulary runs on it; Node 24 is recommended.',
  );
  assert.equal(adviceAboutNode('v20.20.2', new Date('2026-04-30T00:00:00Z')), undefined);
  for (const version of ['v22.15.0', 'v24.1.0', 'v26.0.0']) assert.equal(adviceAboutNode(version, now), undefined);
});
