// @ts-check
// A program: the bare limit for files. `node:http` straight into a file that is made durable and then renamed, and from a
// file to the client. It authenticates, hashes, verifies, counts and logs nothing.
//
// POST / answers the name of the file, GET /NAME its bytes.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = process.argv[2] ?? '';

/** @param {import('node:http').IncomingMessage} request */
async function store(request) {
  const name = randomUUID();
  const path = join(folder, name);
  // `flush`: fsync before it is closed.
  await pipeline(request, createWriteStream(`${path}.new`, { flags: 'wx', flush: true }));
  await rename(`${path}.new`, path);
  const entries = await open(folder);
  try {
    await entries.sync();
  } finally {
    await entries.close();
  }
  return name;
}

const server = createServer((request, response) => {
  const work = async () => {
    if (request.method === 'POST') {
      response.end(JSON.stringify({ id: await store(request) }));
      return;
    }
    const path = join(folder, (request.url ?? '').slice(1));
    const { size } = await stat(path);
    response.writeHead(200, { 'content-length': size });
    await pipeline(createReadStream(path), response);
  };
  work().catch((error) => response.destroy(error));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`bare limit at http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
