// Denial by memory or crash: on every route that takes JSON, a body that is too long, too deep, compressed or cut off is
// refused, and the server goes on. How little memory that takes is measured in test/overload.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { head, onWire, send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

const DEEP = 20_000;
/** A body of a megabyte shows the same as one of ten. */
const BYTES_MAX = 2_000_000;

describe('a body that would take too much', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const headersOf = (row: Row): Record<string, string> => ({
    ...row.headers,
    'content-type': 'application/json',
    authorization: `Bearer ${row.side === 'operator' ? OPERATOR_KEY : tenants.ours.app.admin.token}`,
  });

  for (const row of ROWS.filter(({ body }) => body !== undefined)) {
    it(`${row.title} refuses it`, async () => {
      const path = pathOf(row, tenants.ours.things);
      const post = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
        const reply = await send(tenants.server.address, row.method, path, {
          headers: { ...headersOf(row), ...headers },
          body,
        });
        assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text}`);
        return reply;
      };
      const bytesMax = row.body!.bytesMax;
      if (bytesMax < BYTES_MAX) {
        const reply = await post(' '.repeat(bytesMax + 1));
        assert.equal(reply.body.params?.maxBytes, bytesMax, reply.text);
      }
      await post('['.repeat(DEEP));
      await post(`${'{"values":'.repeat(DEEP / 4)}1${'}'.repeat(DEEP / 4)}`);
      await post(gzipSync(Buffer.alloc(1_000_000, ' ')), { 'content-encoding': 'gzip' });
      await post(bodyOf(row).slice(0, -1));
    });
  }

  it('does not keep the server waiting when it never comes', async () => {
    const { ours, server } = tenants;
    const before = await stateOf(ours);
    const row = ROWS.find(({ title }) => title === 'POST /v1/:applicationId/collections/:collectionId/records')!;
    for (let times = 0; times < 20; times++) {
      await onWire(server.address, async (wire) => {
        wire
          .write(head('POST', pathOf(row, ours.things), { ...headersOf(row), 'content-length': '1000000' }))
          .write('{"values":');
      });
    }
    assert.equal(await stateOf(ours), before);
  });
});
