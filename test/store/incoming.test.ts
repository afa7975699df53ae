// Messages of the database are the same, however the network divides them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Incoming } from '../../src/store/database/incoming.ts';

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function row(fields: readonly (string | null)[]): Buffer {
  const parts = [Buffer.from([fields.length >> 8, fields.length & 0xff])];
  for (const field of fields) {
    const bytes = Buffer.from(field ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(field === null ? -1 : bytes.length);
    parts.push(length, bytes);
  }
  return message('D', Buffer.concat(parts));
}

const ROWS = [['a', null, ''], ['字🙂'.repeat(30)], [], ['x'.repeat(10_000), 'ä'], Array(300).fill('y')];
const SENT = [
  message('1', Buffer.alloc(0)),
  message('2', Buffer.alloc(0)),
  ...ROWS.map(row),
  message('C', Buffer.from('SELECT 5\0')),
  message('N', Buffer.from('a notice')),
  message('Z', Buffer.from('I')),
];
/** BindComplete tells nothing. */
const RECEIVED = [SENT[0]!.toString('hex'), ...ROWS, 'SELECT 5', SENT.at(-2)!.toString('hex'), 'I'];

describe('incoming messages', () => {
  /** Every chunk is in the same buffer, as on a connection. */
  function receive(bytes: Buffer, size: number): unknown[] {
    const received: unknown[] = [];
    const incoming = new Incoming({
      onRow: (fields) => received.push(fields),
      onCommandComplete: (text) => received.push(text),
      onReady: (status) => received.push(status),
      onOther: (other) => received.push(other.toString('hex')),
    });
    const buffer = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      const length = bytes.copy(buffer, 0, at, at + size);
      incoming.read(buffer.subarray(0, length));
    }
    return received;
  }

  for (const size of [1, 2, 3, 4, 5, 6, 7, 11, 64, 1_000, 4_096, 4_097, 65_536]) {
    it(`are whole in chunks of ${size} bytes`, () => {
      assert.deepEqual(receive(Buffer.concat(SENT), size), RECEIVED);
      assert.deepEqual(receive(Buffer.concat([...SENT, ...SENT]), size), [...RECEIVED, ...RECEIVED]);
    });
  }

  it('are whole wherever the first chunk ends', () => {
    const bytes = Buffer.concat([row(['ä', null]), message('Z', Buffer.from('T'))]);
    for (let size = 1; size <= bytes.length; size++) assert.deepEqual(receive(bytes, size), [['ä', null], 'T']);
  });
});
