// Queries are read by hand; URLSearchParams says what they mean.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readQuery } from '../../src/http/requests/query.ts';
import { Random } from '../search/random.ts';

/** Of a repeated parameter the first value counts. */
function oracle(url: string): Record<string, string> {
  const found = new Map<string, string>();
  const start = url.indexOf('?');
  if (start !== -1) {
    for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
      if (!found.has(name)) found.set(name, value);
    }
  }
  return Object.fromEntries(found);
}

const compare = (url: string) => assert.deepEqual({ ...readQuery(url) }, oracle(url), url);

const PIECES = [
  'a',
  'search',
  '=',
  '==',
  '&',
  '&&',
  '?',
  '+',
  '%',
  '%2',
  '%zz',
  '%20',
  '%26',
  '%3D',
  '%2B',
  '%00',
  '#',
];
const BYTES = ['%E7%97%85', '%E7%97', '%F0%9F%98%80', '%ED%A0%80', '%C0%80', '%EF%BB%BF', '%FF', 'é', '__proto__'];

describe('the query of a request', () => {
  it('is what URLSearchParams reads, whatever it is made of', () => {
    const random = new Random(20_261_117);
    for (let n = 0; n < 20_000; n++) {
      const pieces = Array.from({ length: random.integer(0, 8) }, () => random.pick([...PIECES, ...BYTES]));
      compare(`/v1/p?${pieces.join('')}`);
    }
  });

  it('is empty without a question mark, or with nothing after it', () => {
    for (const url of ['/v1', '/v1?', '/v1?&', '/v1?&&', '/v1??']) compare(url);
  });

  it('has no members but its parameters', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']) {
      for (const url of ['/v1', '/v1?a=b']) assert.equal(readQuery(url)[name], undefined, name);
      assert.equal(readQuery(`/v1?${name}=x`)[name], 'x', name);
    }
    assert.deepEqual(Object.keys(readQuery('/v1?a=b&c')), ['a', 'c']);
  });
});
