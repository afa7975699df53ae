// Stands between a client and the server, and does to the next requests what networks and busy servers do: cuts the
// connection before the request or the reply, refuses with a status, holds replies back.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Trouble =
  /** The server gets nothing. */
  | { readonly kind: 'cut request'; readonly after?: number }
  /** The server does its work; the client gets `after` bytes of the reply. */
  | { readonly kind: 'cut reply'; readonly after?: number }
  | { readonly kind: 'refuse'; readonly status: number; readonly body: object; readonly retryAfter?: string };

export interface TroubledProxy {
  readonly address: string;
  /** What happens to the next requests, one after the other; `undefined` lets one through. */
  readonly troubles: (Trouble | undefined)[];
  /** Every request since the start: method, path, and the key that it carried. */
  readonly seen: { readonly method: string; readonly path: string; readonly key: string | undefined }[];
  close(): Promise<void>;
}

export async function troubledProxy(target: string): Promise<TroubledProxy> {
  const troubles: (Trouble | undefined)[] = [];
  const seen: TroubledProxy['seen'] = [];
  const server = createServer((incoming, outgoing) => {
    const key = incoming.headers['idempotency-key'];
    seen.push({
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      key: key === undefined ? undefined : `${key}`,
    });
    handle(incoming, outgoing, troubles.shift(), target);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    troubles,
    seen,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  trouble: Trouble | undefined,
  target: string,
): void {
  if (trouble?.kind === 'refuse') {
    incoming.resume();
    const headers = trouble.retryAfter === undefined ? {} : { 'retry-after': trouble.retryAfter };
    outgoing.writeHead(trouble.status, { 'content-type': 'application/json', ...headers });
    outgoing.end(JSON.stringify(trouble.body));
    return;
  }
  if (trouble?.kind === 'cut request' && trouble.after === undefined) {
    incoming.socket.destroy();
    return;
  }
  const { method, url, headers } = incoming;
  const passed = request(`${target}${url}`, { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
    if (trouble?.kind !== 'cut reply') {
      reply.pipe(outgoing);
      return;
    }
    let left = trouble.after ?? 0;
    reply.on('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, left));
      left = Math.max(0, left - chunk.length);
      if (left === 0) incoming.socket.destroy();
    });
    reply.on('end', () => incoming.socket.destroy());
  });
  passed.on('error', () => incoming.socket.destroy());
  let left = trouble?.kind === 'cut request' ? (trouble.after ?? 0) : Number.POSITIVE_INFINITY;
  incoming.on('data', (chunk: Buffer) => {
    passed.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) {
      passed.destroy();
      incoming.socket.destroy();
    }
  });
  incoming.on('end', () => passed.end());
  incoming.on('error', () => passed.destroy());
}
