// @ts-check
// A program: Parse Server, from the packages of the folder that it is started in, on a database that is reached over a
// socket, with files on disk.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from './peer.mjs';

const { connection, application, masterKey } = JSON.parse(process.argv[2] ?? '{}');
const load = createRequire(join(process.cwd(), 'package.json'));
const { ParseServer } = load('parse-server');
const FilesAdapter = load('@parse/fs-files-adapter');

const port = await freePort();
const address = `http://127.0.0.1:${port}`;
await ParseServer.startApp({
  ...{ appId: application, masterKey, serverURL: `${address}/parse`, port, host: '127.0.0.1', mountPath: '/parse' },
  databaseURI: `postgres://${connection.user}@localhost:${connection.port}/${connection.database}`,
  databaseOptions: { host: connection.host },
  filesAdapter: new FilesAdapter({}),
  silent: true,
});
process.stdout.write(`Parse Server at ${address}\n`);
process.on('SIGTERM', () => process.exit());
