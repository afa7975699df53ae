// A provider's answer that nobody reads to its end gives its connection up.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { boundedFetch, ProviderAway } from '../../src/single-sign-on/bounded-fetch.ts';

it('leaves no connection behind when a provider answers with a failure that never ends', async () => {
  const provider = createServer((_request, response) => {
    response.writeHead(500);
    response.write('a beginning');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const asked = once(provider, 'request') as Promise<[unknown, ServerResponse]>;
  const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
  await assert.rejects(boundedFetch(10_000)(`http://127.0.0.1:${port}/`, options), ProviderAway);
  const [, response] = await asked;
  try {
    if (!response.destroyed) await once(response, 'close', { signal: AbortSignal.timeout(2_000) });
  } finally {
    provider.closeAllConnections();
    provider.close();
  }
});
