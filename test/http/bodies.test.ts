// Every endpoint that takes a body against every body that it must not take, made from the route tables.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, head, onWire, send, type WireReply } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

const JSON_TYPE = 'application/json';
const CHUNK_BYTES = 50_000;

/** A body that these ignored would not keep them from deleting everything. */
const DELETES_MANY: ReadonlySet<string> = new Set([
  'DELETE /v1/:applicationId/collections/:collectionId/records',
  'DELETE /operator/v1/applications/:applicationId',
]);

describe('bodies', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(async () => {
    await server.close();
  });

  const pathTo = (row: Row) =>
    pathOf(row, row.side === 'interface' ? { applicationId: app.id, collectionId: app.ids.Things!.id! } : {});
  const authorization = (row: Row) => `Bearer ${row.side === 'operator' ? OPERATOR_KEY : app.admin.token}`;
  const sendBody = (
    row: Row,
    body: string | Uint8Array,
    headers: Record<string, string> = { 'content-type': JSON_TYPE },
    chunked = false,
  ): Promise<WireReply> =>
    send(server.address, row.method, pathTo(row), {
      body,
      chunked,
      headers: { ...row.headers, ...headers, authorization: authorization(row) },
    });

  for (const row of ROWS.filter(({ takesBytes }) => takesBytes)) {
    it(`${row.title} refuses a stranger without waiting for the bytes`, async () => {
      await onWire(server.address, async (wire) => {
        wire.write(
          head(row.method, pathTo(row), { ...row.headers, 'content-length': String(Number.MAX_SAFE_INTEGER) }),
        );
        assertProblem(await wire.answer(), 401, 'UNAUTHORIZED', row.title);
      });
    });
  }

  for (const row of ROWS.filter(({ takesBytes }) => !takesBytes)) {
    if (DELETES_MANY.has(row.title)) {
      it(`${row.title} refuses a body, which could name only some of what it deletes`, async () => {
        for (const type of [JSON_TYPE, 'text/xml', '"not" a; media = type']) {
          const reply = await sendBody(row, '{"broken', { 'content-type': type });
          assertProblem(reply, 400, 'INVALID_BODY', row.title);
        }
      });
      continue;
    }
    if (row.body === undefined) {
      it(`${row.title} ignores a body that it does not take`, async () => {
        const without = await sendBody(row, '');
        for (const type of [JSON_TYPE, 'text/xml', '"not" a; media = type']) {
          const reply = await sendBody(row, '{"broken', { 'content-type': type });
          assert.equal(reply.status, without.status, reply.text);
        }
      });
      continue;
    }
    const { bytesMax } = row.body;
    const padded = (bytes: number) => bodyOf(row).padEnd(bytes, ' ');
    const tooLarge = (reply: WireReply, how: string) => {
      assertProblem(reply, 400, 'INVALID_BODY', `${row.title} ${how}`);
      assert.equal(reply.body.params.maxBytes, bytesMax, how);
      assert.equal(typeof reply.body.params.reason, 'string', how);
    };

    it(`${row.title} takes ${bytesMax} bytes and not one more`, async () => {
      for (const chunked of [false, true]) {
        for (const bytes of [bytesMax - 1, bytesMax]) {
          const reply = await sendBody(row, padded(bytes), { 'content-type': JSON_TYPE }, chunked);
          assert.equal(reply.body?.params?.maxBytes, undefined, `${bytes} bytes answered ${reply.text}`);
          assert.ok(reply.status < 500, reply.text);
        }
        const headers = { 'content-type': JSON_TYPE };
        tooLarge(await sendBody(row, padded(bytesMax + 1), headers, chunked), chunked ? 'chunked' : 'declared');
      }
    });

    it(`${row.title} refuses a body that says it is too long without waiting for it`, async () => {
      const headers = { authorization: authorization(row), 'content-type': JSON_TYPE };
      for (const declared of [bytesMax + 1, Number.MAX_SAFE_INTEGER]) {
        await onWire(server.address, async (wire) => {
          wire.write(head(row.method, pathTo(row), { ...headers, 'content-length': String(declared) }));
          tooLarge(await wire.answer(), `declaring ${declared}`);
        });
      }
    });

    it(`${row.title} refuses a body without length as soon as it is too long, and the connection lives on`, async () => {
      const headers = { authorization: authorization(row), 'content-type': JSON_TYPE };
      await onWire(server.address, async (wire) => {
        wire.write(head(row.method, pathTo(row), { ...headers, 'transfer-encoding': 'chunked' }));
        for (let sent = 0; sent <= bytesMax; sent += CHUNK_BYTES) {
          wire.write(`${CHUNK_BYTES.toString(16)}\r\n${' '.repeat(CHUNK_BYTES)}\r\n`);
        }
        tooLarge(await wire.answer(), 'without its end');
        wire.write(`1\r\n \r\n0\r\n\r\n${head('GET', '/healthz')}`);
        assert.equal((await wire.answer()).status, 200);
      });
    });

    it(`${row.title} refuses what is not JSON`, async () => {
      const bodies: Record<string, string | Uint8Array> = {
        empty: '',
        blank: ' \n',
        'broken JSON': '{"values": ',
        'trailing comma': '{"a": 1,}',
        'two values': '{} {}',
        'plain text': 'hello',
        'not a number': '{"a": NaN}',
        'control character': '{"a": "\u0001"}',
        'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
        'UTF-8 cut short': Buffer.from([0x22, 0xe2, 0x82, 0x22]),
        'surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
        'UTF-16': Buffer.from('\ufeff{}', 'utf16le'),
        'deep nesting': '['.repeat(50_000),
      };
      for (const [what, body] of Object.entries(bodies)) {
        for (const chunked of [false, true]) {
          const reply = await sendBody(row, body, { 'content-type': JSON_TYPE }, chunked);
          assertProblem(reply, 400, 'INVALID_BODY', `${row.title} with ${what}`);
          assert.equal(typeof reply.body.params.reason, 'string');
          assert.equal(reply.body.params.maxBytes, undefined);
        }
      }
    });

    it(`${row.title} takes nothing but application/json in UTF-8`, async () => {
      const wrong: Record<string, string>[] = [
        {},
        { 'content-type': '' },
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': 'multipart/form-data; boundary=x' },
        { 'content-type': 'application/jsonp' },
        { 'content-type': 'application/json-patch+json' },
        { 'content-type': 'garbage' },
        { 'content-type': '/;=,' },
        { 'content-type': '"not" a; media = type' },
        { 'content-type': 'application/json, text/plain' },
        { 'content-type': 'application/json; charset=iso-8859-1' },
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' },
      ];
      for (const headers of wrong) {
        const reply = await sendBody(row, bodyOf(row), headers);
        assertProblem(reply, 400, 'INVALID_CONTENT_TYPE', `${row.title} with ${JSON.stringify(headers)}`);
      }
      const right: Record<string, string>[] = [
        { 'content-type': 'Application/JSON' },
        { 'content-type': 'application/json; charset=utf-8' },
        { 'content-type': 'application/json;charset="UTF-8"' },
        { 'content-type': 'application/json ; profile=x' },
        { 'content-type': JSON_TYPE, 'content-encoding': 'identity' },
      ];
      for (const headers of right) {
        const reply = await sendBody(row, bodyOf(row), headers);
        assert.notEqual(reply.body?.code, 'INVALID_CONTENT_TYPE', JSON.stringify(headers));
        assert.ok(reply.status < 500, reply.text);
      }
    });
  }
});
