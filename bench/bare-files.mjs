// @ts-check
// The bare limit for files: `node:http` straight into a file that is made durable and then renamed, and from a file to the
// client. It authenticates, hashes, verifies, counts and logs nothing.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** @param {string} folder @param {import('node:http').IncomingMessage} request @returns {Promise<string>} the name of the file */
export async function storeFile(folder, request) {
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

/** @param {string} folder @param {string} name @param {import('node:http').ServerResponse} response */
export async function sendFile(folder, name, response) {
  const path = join(folder, name);
  const { size } = await stat(path);
  response.writeHead(200, { 'content-length': size });
  await pipeline(createReadStream(path), response);
}
