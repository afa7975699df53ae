// Connections as clients, proxies and attackers use them: long request lines, reuse, pipelining, hanging up, and what
// is not HTTP at all.

import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { readJsonBytes } from '../../src/http/requests/body.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, head, onWire, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const REQUEST_LINE_BYTES = 64 * 1024;
/** Beyond what a server discards and what sockets on the way may hold. */
const ENDLESS_BYTES_MAX = 100 * 1024 * 1024;
const ENDLESS_CHUNK_BYTES = 1024 * 1024;

describe('connections', () => {
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

  const definition = () => `/v1/${app.id}`;
  const records = () => `/v1/${app.id}${app.records('Things')}`;
  const bearer = () => ({ authorization: `Bearer ${app.admin.token}` });
  const posting = () => ({ ...bearer(), 'content-type': 'application/json' });

  it('explains what is wrong with a body that ends too early', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${head('POST', records(), { ...posting(), 'content-length': '20' })}{"val`);
      wire.socket.end();
      assertProblem(await wire.answer(), 400, 'INVALID_BODY');
    });
  });

  it('refuses a body that is compressed on its way', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${head('POST', records(), { ...posting(), 'transfer-encoding': 'gzip, chunked' })}0\r\n\r\n`);
      assertProblem(await wire.answer(), 400, 'INVALID_CONTENT_TYPE');
    });
  });

  it('accepts request lines of 64 KB', async () => {
    const frame = `GET ${definition()}?search= HTTP/1.1`.length;
    const path = `${definition()}?search=${'x'.repeat(REQUEST_LINE_BYTES - frame)}`;
    const reply = await send(server.address, 'GET', path, { headers: bearer() });
    assert.equal(reply.status, 200, reply.text.slice(0, 200));
    assert.equal(reply.body.id, app.id);
  });

  it('refuses headers beyond the limit, and lets the client read the reply', async () => {
    for (const size of [100_000, 5_000_000]) {
      await onWire(server.address, async (wire) => {
        wire.write(head('GET', definition(), { ...bearer(), 'x-long': 'x'.repeat(size) }));
        assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', `${size} bytes of headers`);
      });
    }
    await onWire(server.address, async (wire) => {
      wire.write(head('GET', `/v1/${'x'.repeat(200_000)}`));
      assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', 'a request line beyond the bound');
    });
  });

  const nonsense: Record<string, string> = {
    'plain text': 'hello there\r\n\r\n',
    'TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'unknown verb': 'FETCH /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    'unknown version': 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n',
    'broken header': 'GET /healthz HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n',
    'space before the colon': 'GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n',
    'NUL in a header': 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n',
    'two lengths': 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'length and chunks':
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'negative length': 'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  };
  for (const [what, text] of Object.entries(nonsense)) {
    it(`answers ${what} as it answers every error`, async () => {
      await onWire(server.address, async (wire) => {
        wire.write(Buffer.from(text, 'latin1'));
        assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', what);
        await wire.over();
      });
    });
  }

  it('says what is wrong with a URL beyond ASCII, and with an unknown method', async () => {
    for (const [text, reason] of [
      [
        `GET ${records()}?search=\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n`,
        /^has a character in its URL that must be percent/,
      ],
      ['BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n', /^begins with no method of HTTP$/],
    ] as const) {
      await onWire(server.address, async (wire) => {
        wire.write(Buffer.from(text, 'latin1'));
        const reply = await wire.answer();
        assertProblem(reply, 400, 'INVALID_PARAMETER', text);
        assert.match(reply.body.params.reason, reason);
      });
    }
  });

  it('answers a broken chunk as it answers every error', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(`${head('POST', records(), { ...posting(), 'transfer-encoding': 'chunked' })}zz\r\n{}\r\n`);
      assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', 'a broken chunk');
      await wire.over();
    });
  });

  it('answers a request without Host as it answers every error', async () => {
    await onWire(server.address, async (wire) => {
      wire.write('GET /healthz HTTP/1.1\r\n\r\n');
      assertProblem(await wire.answer(), 400, 'INVALID_PARAMETER', 'no Host');
    });
  });

  it('uses a connection again after each kind of refusal', async () => {
    const body = '{"values":{}}';
    const length = { 'content-length': String(body.length) };
    const chunked = { 'transfer-encoding': 'chunked' };
    const large = ' '.repeat(2_000_000);
    const refused: [string, string, string, number, string][] = [
      ['missing credentials', head('POST', records(), length), body, 401, 'UNAUTHORIZED'],
      ['wrong type', head('POST', records(), { ...bearer(), ...length }), body, 400, 'INVALID_CONTENT_TYPE'],
      [
        'malformed identifier',
        head('POST', '/v1/X/collections/X/records', length),
        body,
        400,
        'INVALID_APPLICATION_ID',
      ],
      ['unknown path', head('POST', '/nowhere', length), body, 404, 'NOT_FOUND'],
      ['wrong verb', head('DELETE', '/healthz', length), body, 405, 'METHOD_NOT_ALLOWED'],
      ['broken JSON', head('POST', records(), { ...posting(), 'content-length': '1' }), '{', 400, 'INVALID_BODY'],
      [
        'too large a body',
        head('POST', records(), { ...posting(), 'content-length': String(large.length) }),
        large,
        400,
        'INVALID_BODY',
      ],
      [
        'too large a body in chunks',
        head('POST', records(), { ...posting(), ...chunked }),
        `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
        400,
        'INVALID_BODY',
      ],
    ];
    await onWire(server.address, async (wire) => {
      for (const [what, top, rest, status, code] of refused) {
        wire.write(top).write(rest);
        assertProblem(await wire.answer(), status, code, what);
        wire.write(head('GET', definition(), bearer()));
        assert.equal((await wire.answer()).body?.id, app.id, what);
      }
    });
  });

  it('cuts off an endless body whatever the reply, and the client can read the reply', async () => {
    const ways: [string, string, Record<string, string>, number][] = [
      ['POST', records(), {}, 401],
      ['POST', records(), posting(), 400],
      ['POST', records(), { ...bearer(), 'content-type': 'text/xml' }, 400],
      ['POST', '/nowhere', {}, 404],
      ['POST', '/healthz', {}, 405],
      ['POST', '/%zz', {}, 400],
      ['GET', definition(), bearer(), 200],
    ];
    const chunk = `${ENDLESS_CHUNK_BYTES.toString(16)}\r\n${' '.repeat(ENDLESS_CHUNK_BYTES)}\r\n`;
    for (const [verb, path, headers, status] of ways) {
      await onWire(server.address, async (wire) => {
        const close = new Promise((resolve) => wire.socket.once('close', resolve));
        wire.write(head(verb, path, { ...headers, 'transfer-encoding': 'chunked' }));
        for (let sent = 0; !wire.socket.destroyed; sent += ENDLESS_CHUNK_BYTES) {
          assert.ok(sent < ENDLESS_BYTES_MAX, `${verb} ${path} was still read after ${sent} bytes`);
          await Promise.race([close, new Promise((resolve) => wire.socket.write(chunk, resolve))]);
          // The server lives in this process and must get its turn.
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.equal((await wire.answer()).status, status, `${verb} ${path}`);
      });
    }
  });

  it('bears clients that hang up in the middle of a body', async () => {
    const bodies = [
      `${head('POST', records(), { ...posting(), 'content-length': '1000' })}{"values"`,
      `${head('POST', records(), { ...posting(), 'transfer-encoding': 'chunked' })}5\r\n{"val`,
      head('POST', records(), { ...posting(), 'content-length': '99999999' }) + 'x'.repeat(100_000),
    ];
    for (const text of bodies) {
      for (const way of ['end', 'destroy', 'resetAndDestroy'] as const) {
        await onWire(server.address, async (wire) => {
          await new Promise<void>((resolve) => wire.socket.write(text, () => resolve()));
          wire.socket[way]();
        });
      }
    }
    const reply = await send(server.address, 'GET', definition(), { headers: bearer() });
    assert.equal(reply.status, 200);
    const stored = await server.database.sql(`select count(*)::int from app_${app.id}.${app.ids.Things!.id}`);
    assert.deepEqual(stored, [[0]]);
  });

  it('does not wait for a body whose client hung up before it was read', { timeout: 10_000 }, async () => {
    const request = new IncomingMessage(new Socket());
    request.headers['content-type'] = 'application/json';
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.destroy();
    await closed;
    assert.throws(() => readJsonBytes(request, 1_000), { code: 'INVALID_BODY' });
  });

  it('takes a body after Expect: 100-continue', async () => {
    const body = '{"values":{}}';
    await onWire(server.address, async (wire) => {
      wire.write(head('POST', records(), { ...posting(), 'content-length': '13', expect: '100-continue' }));
      assert.equal((await wire.answer()).status, 100);
      wire.write(body);
      assert.equal((await wire.answer()).status, 200);
    });
  });

  it('ignores expectations that it does not know', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(head('GET', definition(), { ...bearer(), expect: 'the-unexpected' }));
      const reply = await wire.answer();
      assert.equal(reply.status, 200);
      assert.equal(reply.body.id, app.id);
    });
  });

  it('answers pipelined requests in their order', async () => {
    const paths = ['/healthz', definition(), '/nowhere', '/readyz', definition(), '/v1/X'];
    await onWire(server.address, async (wire) => {
      wire.write(paths.map((path) => head('GET', path, bearer())).join(''));
      const bodies = [];
      const ids = new Set<unknown>();
      for (const _path of paths) {
        const { body, headers } = await wire.answer();
        bodies.push(body.id ?? body.code ?? body.status);
        ids.add(headers['x-request-id']);
      }
      assert.deepEqual(bodies, ['ok', app.id, 'NOT_FOUND', 'ready', app.id, 'INVALID_APPLICATION_ID']);
      assert.equal(ids.size, paths.length, 'each answer has an X-Request-Id of its own');
    });
  });

  it('makes its own request ids', async () => {
    const reply = await send(server.address, 'GET', '/healthz', {
      headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
    });
    assert.match(String(reply.headers['x-request-id']), /^(?!mine$)[\w-]{4,}$/);
  });

  it('refuses a second Host, Authorization or Content-Type', async () => {
    const good = `Authorization: Bearer ${app.admin.token}\r\n`;
    const repeated: Record<string, string[]> = {
      Host: [`Host: a\r\nhost: a\r\n${good}`, `Host: a\r\nHOST: b\r\n${good}`],
      Authorization: [`Host: a\r\n${good}authorization: Bearer nonsense\r\n`, `Host: a\r\n${good.repeat(2)}`],
      'Content-Type': [`Host: a\r\n${good}Content-Type: application/json\r\ncontent-type: text/plain\r\n`],
    };
    for (const [parameter, tops] of Object.entries(repeated)) {
      for (const top of tops) {
        await onWire(server.address, async (wire) => {
          const reply = await wire.write(`GET ${definition()} HTTP/1.1\r\n${top}\r\n`).answer();
          assertProblem(reply, 400, 'INVALID_PARAMETER');
          assert.deepEqual(reply.body.params, { parameter, reason: 'is given more than once' });
        });
      }
    }
  });

  it('refuses a Host that is none, and links to one that is', async () => {
    const list = `${records()}?limit=1`;
    for (const _ of [1, 2])
      assert.equal((await app.send('POST', app.records('Things'), { json: { values: {} } })).status, 200);
    const answered = async (target: string, headers: Record<string, string>) =>
      onWire(server.address, async (wire) => wire.write(head('GET', target, { ...bearer(), ...headers })).answer());
    for (const Host of [
      'a b',
      'a/b',
      'a>; rel="x"',
      'http://a',
      'a@b',
      'a:b',
      'a:1:2',
      '[1::g]',
      '[::1',
      'ä',
      'a?b',
      '"a"',
      'a:123456',
      'a:65536',
    ]) {
      const reply = await answered(list, { Host });
      assertProblem(reply, 400, 'INVALID_PARAMETER', Host);
      assert.equal(reply.body.params.parameter, 'Host', Host);
      assertProblem(await answered('/healthz', { Host }), 400, 'INVALID_PARAMETER', Host);
    }
    for (const Host of [
      'a',
      'A.example:80',
      '127.0.0.1:8080',
      '[::1]:8080',
      'my_host-1',
      'xn--bcher-kva.example',
      'a.',
    ]) {
      const reply = await answered(list, { Host });
      assert.equal(reply.status, 200, reply.text);
      assert.ok(reply.headers.link?.includes(`<http://${Host}${records()}?`), String(reply.headers.link));
    }
    for (const target of [`http://there.example:81${list}`, `HTTP://there.example:81${list}`]) {
      const { headers } = await answered(target, { Host: 'other.example' });
      assert.ok(headers.link?.includes(`<http://there.example:81${records()}?`), String(headers.link));
    }
    assertProblem(await answered(`http://a@there.example${list}`, {}), 400, 'INVALID_PARAMETER');
    const missing = await onWire(server.address, (wire) =>
      wire.write(`GET http://a/healthz HTTP/1.1\r\n\r\n`).answer(),
    );
    assertProblem(missing, 400, 'INVALID_PARAMETER');
  });

  it('takes lists that are spread over several headers as one', async () => {
    const created = await app.send('POST', app.records('Things'), { json: { values: {} } });
    const path = `${records()}/${created.body.id}`;
    const { headers } = await send(server.address, 'GET', path, { headers: bearer() });
    const reply = await send(server.address, 'GET', path, {
      headers: { ...bearer(), 'if-none-match': ['"something-else"', String(headers.etag)] },
    });
    assert.equal(reply.status, 304);
    assert.equal(reply.text, '');
  });

  it('answers HTTP/1.0 and requests with an absolute address', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(head('GET', `http://somewhere.example${definition()}`, bearer()));
      assert.equal((await wire.answer()).body.id, app.id);
      wire.write(head('DELETE', 'http://somewhere.example/healthz'));
      assertProblem(await wire.answer(), 405, 'METHOD_NOT_ALLOWED');
      wire.write('GET /healthz HTTP/1.0\r\n\r\n');
      assert.equal((await wire.answer()).status, 200);
      await wire.over();
    });
  });

  it('is not led to another protocol', async () => {
    await onWire(server.address, async (wire) => {
      wire.write(head('GET', '/healthz', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' }));
      assert.equal((await wire.answer()).status, 200);
    });
  });

  it('answers CONNECT like any other verb that it does not know', async () => {
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    socket.end('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    assert.match(answer, /x-request-id: \w+/i);
    assert.ok(answer.endsWith('{"code":"METHOD_NOT_ALLOWED"}'), answer);
  });
});
