// A typical load balancer: round robin over kept-alive connections to the servers whose /readyz says that they are ready. It
// tries another server only if a connection was refused, before anything was sent.

import { Agent, get, type OutgoingHttpHeaders, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const CHECK_MS = 100;
const CHECK_MS_MAX = 1_000;

interface Node {
  readonly address: string;
  readonly agent: Agent;
  ready: boolean;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export class Balancer {
  readonly #nodes: Node[];
  /** Connections refused by a server that counted as ready. */
  refused = 0;
  #turn = 0;
  #checking = true;
  readonly #checked: Promise<void>;

  constructor(addresses: readonly string[]) {
    this.#nodes = addresses.map((address) => ({ address, agent: new Agent({ keepAlive: true }), ready: false }));
    this.#checked = this.#check();
  }

  readyNodes(): string[] {
    return this.#nodes.filter(({ ready }) => ready).map(({ address }) => address);
  }

  async send(sent: Sent): Promise<Answered> {
    for (let tries = 0; tries < this.#nodes.length; tries++) {
      const ready = this.#nodes.filter((node) => node.ready);
      const node = ready[this.#turn++ % ready.length];
      if (node === undefined) throw new Error('no server is ready');
      try {
        return await exchange(node, sent);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
        this.refused += 1;
      }
    }
    throw new Error('every server refused the connection');
  }

  async close(): Promise<void> {
    this.#checking = false;
    await this.#checked;
    for (const { agent } of this.#nodes) agent.destroy();
  }

  async #check(): Promise<void> {
    while (this.#checking) {
      await Promise.all(
        this.#nodes.map(async (node) => {
          node.ready = await isReady(node.address);
        }),
      );
      await pause(CHECK_MS);
    }
  }
}

function isReady(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(`${address}/readyz`, { agent: false, timeout: CHECK_MS_MAX }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve(false));
  });
}

function exchange({ address, agent }: Node, { method, path, headers, body }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}
