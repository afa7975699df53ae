// The cache of prepared definitions is bounded by their size.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PreparedApplication } from '../../src/domain/definition/application.ts';
import { PreparedDefinitions } from '../../src/store/applications/prepared-definitions.ts';

const application = (id: string, characters: number): PreparedApplication =>
  ({ id, definition: { name: 'n'.repeat(characters) } }) as unknown as PreparedApplication;

describe('prepared definitions', () => {
  it('make room for others, those first that were not loaded for longest', () => {
    const dropped: string[] = [];
    const prepared = new PreparedDefinitions((id) => dropped.push(id), 1_000);
    for (const id of ['a', 'b', 'c', 'd']) prepared.set('1', application(id, 200));
    assert.ok(prepared.get('a', '1'));
    prepared.set('1', application('large', 500));
    assert.deepEqual(dropped, ['b', 'c']);
    assert.ok(prepared.get('a', '1'));
    assert.equal(prepared.get('b', '1'), undefined);
  });

  it('keep the newest, however large, and none under another mark', () => {
    const dropped: string[] = [];
    const prepared = new PreparedDefinitions((id) => dropped.push(id), 1_000);
    prepared.set('1', application('a', 300));
    prepared.set('1', application('huge', 5_000));
    assert.deepEqual(dropped, ['a']);
    assert.ok(prepared.get('huge', '1'));
    assert.equal(prepared.get('huge', '2'), undefined);
    prepared.set('2', application('huge', 10));
    prepared.set('1', application('b', 900));
    assert.ok(prepared.get('huge', '2'));
    assert.deepEqual(dropped, ['a']);
  });
});
