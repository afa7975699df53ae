// Stands between the server and PostgreSQL and makes trouble with the answer to one statement: what the server asked for
// is done, and it does not hear of it, or only later.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { closedAtLast } from './left-open.ts';
import { connectUpstream } from './upstream.ts';

interface Trouble {
  /** The statement was answered, and whatever it changed is there. */
  readonly met: Promise<void>;
  /** Of an answer that was held back: lets it go. */
  release(): void;
}

export interface TroubledWire {
  readonly connection: pg.ClientConfig;
  /** For the next statement whose text has this in it and is sent whole, as it is the first time on each connection. */
  lose(text: string): Trouble;
  hold(text: string): Trouble;
  close(): Promise<void>;
}

interface Plan extends Trouble {
  readonly text: string;
  readonly lost: boolean;
  readonly released: Promise<void>;
  meet(): void;
}

function plan(text: string, lost: boolean): Plan {
  let meet = (): void => undefined;
  let release = (): void => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { text, lost, met, released, meet, release };
}

export async function troubleWire(target: pg.ClientConfig): Promise<TroubledWire> {
  let planned: Plan | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    let mine: Plan | undefined;
    client.on('data', (chunk) => {
      if (planned !== undefined && chunk.includes(planned.text)) {
        mine = planned;
        planned = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', async (chunk) => {
      const trouble = mine;
      if (trouble !== undefined) {
        if (trouble.lost) {
          // The end comes behind what was sent before it, such as a commit, which closing at once could discard.
          client.destroy();
          upstream.once('close', trouble.meet).end();
          return;
        }
        trouble.meet();
        await trouble.released;
        mine = undefined;
      }
      client.write(chunk);
    });
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const make = (lost: boolean) => (text: string) => {
    planned = plan(text, lost);
    return planned;
  };
  return {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    lose: make(true),
    hold: make(false),
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
