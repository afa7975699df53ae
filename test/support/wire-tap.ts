// Stands between the server and PostgreSQL and counts, on the wire: round trips (the client speaking after the server
// has answered), executed statements, and what stays prepared. It knows the protocol's framing and little else.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { closedAtLast } from './left-open.ts';
import { connectUpstream } from './upstream.ts';

export interface WireTap {
  readonly connection: pg.ClientConfig;
  /** Counts since the last call. */
  take(): { roundTrips: number; statements: number };
  /** The texts of the statements that are prepared under a name on the one connection that has the most, in bytes. */
  preparedBytes(): number;
  close(): Promise<void>;
}

interface Counts {
  roundTrips: number;
  statements: number;
}

export async function tapWire(target: pg.ClientConfig): Promise<WireTap> {
  let counts: Counts = { roundTrips: 0, statements: 0 };
  const sockets = new Set<Socket>();
  const readers = new Set<FrontendReader>();
  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    const reader = new FrontendReader();
    readers.add(reader);
    client.on('close', () => readers.delete(reader));
    let answered = true;
    client.on('data', (chunk) => {
      const statements = reader.read(chunk);
      if (!reader.counts) return;
      if (answered) counts.roundTrips += 1;
      answered = false;
      counts.statements += statements;
    });
    upstream.on('data', () => {
      answered = true;
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    take: () => {
      const taken = counts;
      counts = { roundTrips: 0, statements: 0 };
      return taken;
    },
    preparedBytes: () => Math.max(0, ...[...readers].map((reader) => reader.preparedBytes)),
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

/** Splits what a client sends into messages; the first has no type byte. */
class FrontendReader {
  /** False for the connection that listens for news: it beats by itself. */
  counts = true;
  #pending: Uint8Array = new Uint8Array();
  #started = false;
  readonly #prepared = new Map<string, number>();

  get preparedBytes(): number {
    return [...this.#prepared.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** How many Execute and Query messages end in this chunk. */
  read(chunk: Uint8Array): number {
    let bytes = Buffer.concat([this.#pending, chunk]);
    let statements = 0;
    for (;;) {
      const head = this.#started ? 1 : 0;
      if (bytes.length < head + 4) break;
      const length = head + bytes.readInt32BE(head);
      if (bytes.length < length) break;
      if (!this.#started) {
        this.#started = true;
        this.counts = !bytes.subarray(0, length).includes('cartulary listener');
      } else if (bytes[0] === 0x45 /* Execute */ || bytes[0] === 0x51 /* Query */) {
        statements += 1;
      } else {
        this.#notePrepared(bytes.subarray(0, length));
      }
      bytes = bytes.subarray(length);
    }
    this.#pending = bytes;
    return statements;
  }
  /** Parse: the name and the text, each ended by a zero. Close: `S`, and the name of a statement. */
  #notePrepared(message: Buffer): void {
    if (message[0] === 0x50 /* Parse */) {
      const [name = '', text = ''] = message.toString('utf8', 5).split('\0');
      if (name !== '') this.#prepared.set(name, Buffer.byteLength(text));
    } else if (message[0] === 0x43 /* Close */ && message[5] === 0x53) {
      this.#prepared.delete(message.toString('utf8', 6, message.length - 1));
    }
  }
}
