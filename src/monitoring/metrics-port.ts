// The figures on a port of their own, without a key: for a collector inside the network where nobody else comes.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTENT_TYPE } from './exposition.ts';

export interface MetricsEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Whoever asks for figures has little to say and reads at once. */
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
    const answer = (status: number, body: string) => {
      response.writeHead(status, {
        'content-type': CONTENT_TYPE,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    request.resume();
    if (request.url?.split('?', 1)[0] !== '/metrics') answer(404, 'The figures are at /metrics.\n');
    else if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'The figures can be read only.\n');
    else
      text().then(
        (body) => answer(200, body),
        () => answer(503, ''),
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
