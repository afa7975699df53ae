// Whoever listens where a server should be gets no operator key, whatever he answers.

import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { endpointOf, proveOperatorKey } from '../../src/domain/people/server-proof.ts';
import { assertPlain, type Finished, run, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

interface Impostor {
  readonly address: string;
  /** All that was ever sent to it. */
  heard(): string;
  connections(): number;
}

/** Does with each connection what it likes, and writes down all that comes. */
async function withImpostor(act: (socket: Socket) => void, work: (impostor: Impostor) => Promise<void>): Promise<void> {
  let heard = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
    });
    act(socket);
  });
  await listening(server);
  const { port } = server.address() as AddressInfo;
  try {
    await work({ address: `http://127.0.0.1:${port}`, heard: () => heard, connections: () => sockets.size });
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
}

const answer = (status: string, body: string, more = '') =>
  `HTTP/1.1 ${status}\r\n${more}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const answering = (text: string) => (socket: Socket) => socket.on('data', () => socket.write(text));

describe('a command and who listens where its server should be', { concurrency: 2 }, () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  /** With a data folder that has the key, and names a server where one is given. */
  async function list(named?: { address: string; pid: number }, env: Record<string, string> = {}): Promise<Finished> {
    let finished: Finished | undefined;
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'data'));
      await writeFile(join(cwd, 'data', 'operator.key'), OPERATOR_KEY);
      if (named !== undefined) await writeFile(join(cwd, 'data', 'server.json'), JSON.stringify(named));
      finished = await run(['applications', 'list'], { cwd, env: { CARTULARY_DATA: join(cwd, 'data'), ...env } });
    });
    return finished!;
  }

  const relay = (socket: Socket) => {
    const { port, hostname } = new URL(server.address);
    const onward = connect(Number(port), hostname).on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  };

  const UNPROVEN =
    /^The program that listens at http:\S+ did not prove that it knows the operator key from \S+operator\.key\. The key was not sent\./m;
  const impostors = {
    'says nothing and ends': [(socket: Socket) => socket.end(), UNPROVEN],
    'answers what was asked for': [answering(answer('200 OK', '[]')), UNPROVEN],
    'makes up a proof': [
      answering(answer('200 OK', `{"knows":"${'A'.repeat(43)}","here":"${'A'.repeat(43)}"}`)),
      UNPROVEN,
    ],
    'asks for the key': [answering(answer('401 Unauthorized', '{}', 'www-authenticate: Bearer\r\n')), UNPROVEN],
    'sends elsewhere': [answering(answer('307 Temporary Redirect', '', 'location: http://127.0.0.1:9/\r\n')), UNPROVEN],
    'never ends its answer': [answering(`HTTP/1.1 200 OK\r\n\r\n${' '.repeat(20_000)}`), UNPROVEN],
    'passes everything on to the server': [
      relay,
      /^The server at http:\S+ knows the operator key, but the connection passes through a proxy/m,
    ],
  } as const;
  for (const [what, [act, complaint]] of Object.entries(impostors)) {
    it(`tells nothing to one who ${what}`, () =>
      withImpostor(act, async ({ address, heard, connections }) => {
        assertPlain(await list({ address, pid: process.pid }), complaint);
        const { port } = new URL(address);
        const placed = await list(undefined, { CARTULARY_PORT: port });
        assertPlain(placed, complaint);
        assert.ok(connections() >= 2, 'it was asked');
        assert.ok(!heard().includes(OPERATOR_KEY));
      }));
  }

  it('sends the key over no other connection than the one on which it was proved to be known', async () => {
    let heard = '';
    const proving = createHttpServer((request, response) => {
      heard += JSON.stringify(request.headers);
      request.setEncoding('utf8').on('data', (body: string) => {
        const { localAddress, localPort } = request.socket;
        const key = createSecretKey(Buffer.from(OPERATOR_KEY));
        const proof = proveOperatorKey(key, JSON.parse(body).nonce, endpointOf(localAddress, localPort));
        response.writeHead(200, { connection: 'close' }).end(JSON.stringify(proof));
      });
    });
    await listening(proving);
    try {
      const { port } = proving.address() as AddressInfo;
      const cut = await list({ address: `http://127.0.0.1:${port}`, pid: process.pid });
      assertPlain(cut, /^The server at http:\S+ closed the connection before it replied\./m);
      assert.match(heard, /content-type/);
      assert.ok(!heard.includes(OPERATOR_KEY));
    } finally {
      proving.close();
    }
  });

  it('asks nobody in place of the server that the data folder names', async () => {
    // Beyond what processes are numbered with.
    const stale = await list({ address: 'http://127.0.0.1:1', pid: 2 ** 30 });
    assertPlain(
      stale,
      /^The server of the data folder \S+data is not running: its process \d+, which listened on http:\/\/127\.0\.0\.1:1, ended without removing its entry\. Start it with CARTULARY_DATA=\S+data, or name another server by --url /m,
    );
    assertPlain(
      await list(),
      /^The server of the data folder \S+data is not running\. Start it with CARTULARY_DATA=\S+data/m,
    );
    const refused = await list({ address: 'http://127.0.0.1:1', pid: process.pid });
    assertPlain(
      refused,
      /^No server answers at http:\/\/127\.0\.0\.1:1\. Is it running\? The data folder \S+data names it\. Start it/m,
    );
  });

  it('sends nothing to other machines over plain HTTP, unless that is meant', async () => {
    const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY };
    const to = (...args: string[]) => run(['applications', 'list', ...args], { cwd: '.', env });
    assertPlain(
      await to('--url', 'http://192.0.2.1:8080'),
      /^http:\/\/192\.0\.2\.1:8080 is another machine, .* Use https, or add --insecure/m,
    );
    await withImpostor(relay, async ({ address, heard }) => {
      const mapped = await to('--url', address, '--insecure');
      assert.equal(mapped.code, 0, mapped.stderr);
      assert.ok(heard().includes(OPERATOR_KEY));
    });
  });

  it('asks no proxy of the environment', () =>
    withImpostor(relay, async ({ address, connections }) => {
      const named = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
      const env = { ...Object.fromEntries(named.map((name) => [name, address])), NODE_USE_ENV_PROXY: '1' };
      const direct = await list({ address: server.address, pid: process.pid }, env);
      assert.equal(direct.code, 0, direct.stderr);
      assert.equal(connections(), 0);
    }));
});
