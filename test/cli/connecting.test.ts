// Messages of the command line when it cannot connect to the server, and connections that the server has closed.

import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectOperator } from '../../src/cli/operator-client.ts';
import { assertPlain, run } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer } from '../support/server.ts';

/** Self-signed and valid for a hundred years; it protects nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg87TFcSIhLhRQzUYA
rU4cWai6CEN+y6mhTlDzGfYeC1ehRANCAAScEYaCMRl32gE8UTLAExzZ89JP0FB0
EiZ45J9OQ8zK5/d1HI8FjSRJ9e5zu/fbacuTnzFWCHtSYEYG4X44GLC/
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUVIij9g6rG+4+LL6djxsZjzKVrKwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjAxMzEzNloYDzIxMjYxMDIz
MDEzMTM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAScEYaCMRl32gE8UTLAExzZ89JP0FB0EiZ45J9OQ8zK5/d1HI8FjSRJ
9e5zu/fbacuTnzFWCHtSYEYG4X44GLC/o2QwYjAdBgNVHQ4EFgQUL18GeS+N7MTz
7yCOmALPvGtWTpswHwYDVR0jBBgwFoAUL18GeS+N7MTz7yCOmALPvGtWTpswDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQDx7C06VmYy3TvKAuWGFW32F2h/C86AYxdkLdgBiBFfIgIhAImRUyxol1BBPVAP
LQwa0MRsn9RtQarISiXWykhKQ9A/
-----END CERTIFICATE-----`;

const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
const listAt = (url: string) => run(['applications', 'list', '--url', url], { cwd: '.', env });

async function withListener(server: Server, work: (port: number) => Promise<void>): Promise<void> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

describe('a command that cannot connect', { concurrency: 2 }, () => {
  for (const scheme of ['http', 'https']) {
    it(`says that a host name is unknown, over ${scheme}`, async () => {
      const finished = await listAt(`${scheme}://no.such.host.invalid:8080`);
      assertPlain(finished, /^The host name no\.such\.host\.invalid cannot be resolved \(\w+\)\. Check its spelling/m);
    });
  }

  it('says how to trust a self-signed certificate', () =>
    withListener(createTlsServer({ key: KEY, cert: CERTIFICATE }), async (port) => {
      const finished = await listAt(`https://127.0.0.1:${port}`);
      assertPlain(finished, /^The TLS certificate of https:\S+ is not trusted .*set NODE_EXTRA_CA_CERTS to the file/m);
    }));

  it('says that a port speaks plain HTTP', () =>
    withListener(createHttpServer(), async (port) => {
      const finished = await listAt(`https://127.0.0.1:${port}`);
      assertPlain(finished, /^https:\S+ does not speak TLS\. If it is plain HTTP, use http:\/\//m);
    }));
});

describe('the client of the operator interface', () => {
  it('connects again when the server has closed an idle connection', async () => {
    const server = await startTestServer({ clientTimeouts: { keepAliveMs: 2_000 } });
    try {
      const client = await connectOperator(env, { url: server.address });
      await client.send('GET', '/applications');
      await pause(3_500);
      assert.ok(Array.isArray(await client.send('GET', '/applications')));
    } finally {
      await server.close();
    }
  });
});
