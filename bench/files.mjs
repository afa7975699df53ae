// @ts-check
// The file that is uploaded and downloaded: 100 KB that do not compress, the same in every process of a run.

import { createHash } from 'node:crypto';
import { APPLICATION, COLLECTIONS } from './work.mjs';

const BYTES = 100 * 1024;

/** @type {Buffer} */
export const FILE = Buffer.concat(
  Array.from({ length: BYTES / 32 }, (_, n) => createHash('sha256').update(String(n)).digest()),
);

/** Where ours and the bare limit take files. */
export const FILES_PATH = `/v1/${APPLICATION}/collections/${COLLECTIONS.items}/attachments`;
