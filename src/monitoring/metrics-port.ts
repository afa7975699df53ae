// Serves /metrics on a port of its own without a key, for a collector in a closed network.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTENT_TYPE } from './exposition.ts';

export interface MetricsEndpoint {
  readonly host: string;
  readonly port: number;
}

/** A collector sends a short request and reads the reply at once. */
const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 16;

export interface MetricsPort {
  readonly address: AddressInfo;
  close(): void;
}

export async function openMetricsPort(
  { host, port }: MetricsEndpoint,
  text: () => Promise<string>,
): Promise<MetricsPort> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const reply = (status: number, body: string) => {
      response.writeHead(status, {
        'content-type': CONTENT_TYPE,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    request.resume();
    if (request.url?.split('?', 1)[0] !== '/metrics') reply(404, 'Metrics are at /metrics.\n');
    else if (request.method !== 'GET' && request.method !== 'HEAD') reply(405, 'Metrics can only be read.\n');
    else
      text().then(
        (body) => reply(200, body),
        () => reply(503, ''),
      );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.timeout = REQUEST_MS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    address: server.address() as AddressInfo,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
