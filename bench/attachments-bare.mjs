// @ts-check
// A program: the bare limit for files alone. POST / answers the name of the file, GET /NAME its bytes.

import { createServer } from 'node:http';
import { sendFile, storeFile } from './bare-files.mjs';

const folder = process.argv[2] ?? '';

const server = createServer((request, response) => {
  const work = async () => {
    if (request.method === 'POST') response.end(JSON.stringify({ id: await storeFile(folder, request) }));
    else await sendFile(folder, (request.url ?? '').slice(1), response);
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
