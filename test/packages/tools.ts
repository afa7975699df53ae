// Programs of others that the tests of deploy/ run, and the files that they are set up with.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../tidy/tree.ts';

interface Tools {
  findTool(name: string): string | undefined;
  unpackedLibraries(): string[];
}

export const { findTool, unpackedLibraries }: Tools = await import(
  pathToFileURL(join(ROOT, 'scripts', 'proxies.mjs')).href
);

export const configuration = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

/** Throws if the text is not there: a test of a changed configuration must not pass by accident. */
export function replaced(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    const next = changed.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to);
    assert.notEqual(next, changed, `${from} is not in the configuration`);
    return next;
  }, text);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
