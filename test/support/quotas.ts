// Servers whose clock stands well within an hour, and many cheap requests at once.

import { connect } from 'node:net';
import { HOUR_MS, hourOf } from '../../src/domain/quota.ts';
import type { TestApplication } from './application.ts';

/** For `aheadMs`: ten minutes past the next hour, so that no hour ends within a test; `turn` brings the next. */
export class TestHours {
  #ahead = hourOf(Date.now()) + HOUR_MS + HOUR_MS / 6 - Date.now();
  readonly aheadMs = (): number => this.#ahead;

  turn(): void {
    this.#ahead += HOUR_MS;
  }
}

export const limitedTo = (limits: Record<string, number>) => ({
  plan: 'custom',
  limits,
  collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
});

/** `"records-read";r=7999;t=1234` → 7999. */
export function leftOf(headers: Headers): number {
  const [, left] = /^"[a-z-]+";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (left === undefined) throw new Error(`no RateLimit: ${headers.get('ratelimit')}`);
  return Number(left);
}

export interface Volley {
  /** How many answers came, by status. */
  readonly statuses: Map<number, number>;
  admitted(): number;
  /** Until all answers have come, or the connection has ended. */
  readonly done: Promise<void>;
}

const AT_ONCE = 16;

/** Asks for the definition so many times on one connection, some at once, without reading more of the answers than their status. */
export function fire(address: string, { id, admin }: TestApplication, count: number): Volley {
  const { hostname, port } = new URL(address);
  const request = `HEAD /v1/${id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin.token}\r\n\r\n`;
  const statuses = new Map<number, number>();
  let sent = 0;
  let answered = 0;
  let rest = '';
  const done = new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname);
    const ask = (more: number) => {
      const next = Math.min(more, count - sent);
      sent += next;
      if (next > 0) socket.write(request.repeat(next));
    };
    socket.setEncoding('latin1');
    socket.on('connect', () => ask(AT_ONCE));
    socket.on('data', (chunk: string) => {
      const answers = (rest + chunk).split('\r\n\r\n');
      rest = answers.pop() ?? '';
      for (const answer of answers) {
        const status = Number(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      answered += answers.length;
      ask(answers.length);
      if (answered === count) socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  return { statuses, admitted: () => statuses.get(200) ?? 0, done };
}

export const admittedBy = (volleys: readonly Volley[]): number =>
  volleys.reduce((sum, volley) => sum + volley.admitted(), 0);
