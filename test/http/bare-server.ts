// A server without routes, database and gates: every request goes to the handler that the test chooses.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpRequest } from '../../src/http/clients/http-request.ts';
import type { Handler } from '../../src/http/send.ts';
import { closeHttpServer, listen } from '../../src/http/server.ts';

export interface BareServer {
  readonly server: Server;
  readonly address: string;
  close(): Promise<void>;
}

export async function startBareServer(handlerFor: (url: string) => Handler): Promise<BareServer> {
  let requests = 0;
  const server = createServer((raw, response) => {
    const request = new HttpRequest(`bare-${++requests}`, raw, { params: {}, trustProxy: undefined });
    handlerFor(request.url)(request, response);
  });
  await listen(server, { host: '127.0.0.1', port: 0 });
  const close = async () => {
    server.closeAllConnections();
    await closeHttpServer(server);
  };
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
