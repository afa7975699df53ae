// How the bench reads a processor profile: times of functions, and the stage of a request that each belongs to.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

interface Place {
  name: string;
  file: string;
  line: number;
  micros: number;
  caller: Place | undefined;
}

const { placesOf, functionsOf } = await import(rootPath('bench/profile.mjs').href);
const { stageOf, microsByStage } = await import(rootPath('bench/stages.mjs').href);

const place = (file: string, { name = 'work', micros = 0, caller }: Partial<Place> = {}): Place => ({
  name,
  file,
  line: 1,
  micros,
  caller,
});

/** `(root)` calls `send`, which calls `writev`, compiled code; then garbage is collected. */
const PROFILE = {
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1 }, children: [2, 4, 5] },
    {
      id: 2,
      callFrame: { functionName: 'send', url: 'file:///here/dist/src/http/send.js', lineNumber: 9 },
      children: [3],
    },
    { id: 3, callFrame: { functionName: 'writev', url: '', lineNumber: -1 } },
    { id: 4, callFrame: { functionName: '(garbage collector)', url: '', lineNumber: -1 } },
    { id: 5, callFrame: { functionName: '(idle)', url: '', lineNumber: -1 } },
  ],
  samples: [2, 3, 3, 4, 5, 2],
  timeDeltas: [5, 10, 20, 30, 40, 50],
};

describe('a processor profile', () => {
  it('gives each function the time until the next sample, but none to idleness', () => {
    const functions = functionsOf(placesOf(PROFILE, '/here')).map(
      ({ name, where, micros }: Record<string, unknown>) => [name, where, micros],
    );
    assert.deepEqual(functions, [
      ['writev', 'called from src/http/send.js', 50],
      ['(garbage collector)', '', 40],
      ['send', 'src/http/send.js:10', 10],
    ]);
  });

  it('counts compiled code for the stage that called it', () => {
    const stages = Object.fromEntries(microsByStage(placesOf(PROFILE, '/here')));
    assert.deepEqual(stages, { 'write the reply': 60, 'garbage collection': 40 });
  });

  it('counts what Node does for several stages for the one that called it', () => {
    const socket = (caller: Place) =>
      place('node:net', { caller: place('node:internal/streams/writable', { caller }) });
    assert.equal(stageOf(socket(place('node_modules/pg/lib/client.js'))), 'database driver');
    assert.equal(stageOf(socket(place('node:_http_outgoing'))), 'write the reply');
    assert.equal(stageOf(socket(place('', { name: '(root)' }))), 'sockets, promises, timers of Node');
  });
});

describe('the stages of a request', () => {
  it('know every source that is on the way of a request', () => {
    const folders = [
      'http',
      'gate',
      'load',
      'request',
      'operations',
      'domain',
      'wire',
      'store',
      'events',
      'monitoring',
    ];
    const unknown = folders
      .flatMap((folder) =>
        readdirSync(rootPath(`src/${folder}/`), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => `src/${folder}/${name.replace(/\.ts$/, '.js')}`),
      )
      .filter((file) => stageOf(place(file)) === 'other');
    assert.deepEqual(unknown, []);
  });
});
