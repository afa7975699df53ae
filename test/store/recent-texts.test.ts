// What is kept for texts: bounded in number and in length, and the least recently used goes first.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentTexts } from '../../src/store/database/recent-texts.ts';

const ofLength = (length: number, mark: string) => mark.padEnd(length, '-');

describe('what is kept for texts', () => {
  it('is bounded in number, and the least recently used goes first', () => {
    const forgotten: number[] = [];
    const texts = new RecentTexts<number>({ max: 3, lengthMax: 1_000 }, (value) => forgotten.push(value));
    for (const [n, text] of ['a', 'b', 'c'].entries()) texts.use(text, () => n);
    texts.use('a', () => assert.fail('it is kept'));
    texts.use('d', () => 3);
    assert.deepEqual(forgotten, [1]);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((text) => texts.take(text)),
      [0, undefined, 2, 3],
    );
  });

  it('is bounded in length, and as many go as have to', () => {
    const forgotten: string[] = [];
    const texts = new RecentTexts<string>({ max: 100, lengthMax: 100 }, (value) => forgotten.push(value));
    for (const mark of ['a', 'b', 'c', 'd']) texts.add(ofLength(25, mark), mark);
    assert.deepEqual(forgotten, []);
    texts.add(ofLength(26, 'e'), 'e');
    assert.deepEqual(forgotten, ['a', 'b']);
    texts.add(ofLength(24, 'f'), 'f');
    assert.deepEqual(forgotten, ['a', 'b']);
  });

  it('has the length of a text that was taken again for others', () => {
    const texts = new RecentTexts<string>({ max: 100, lengthMax: 100 }, (value) =>
      assert.fail(`${value} was forgotten`),
    );
    texts.add(ofLength(60, 'a'), 'a');
    assert.equal(texts.take(ofLength(60, 'a')), 'a');
    texts.add(ofLength(60, 'b'), 'b');
    texts.add(ofLength(60, 'b'), 'b again');
    assert.equal(texts.take(ofLength(60, 'b')), 'b again');
  });

  it('is the last text alone if it is longer than all may be', () => {
    const texts = new RecentTexts<string>({ max: 100, lengthMax: 100 });
    texts.add(ofLength(50, 'a'), 'a');
    texts.add(ofLength(101, 'b'), 'b');
    assert.equal(texts.take(ofLength(50, 'a')), undefined);
    assert.equal(texts.take(ofLength(101, 'b')), 'b');
    texts.add(ofLength(100, 'c'), 'c');
    assert.equal(texts.take(ofLength(100, 'c')), 'c');
  });
});
