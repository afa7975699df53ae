// @ts-check
// A program: the S3-compatible store of the tests, as a process of its own. Its first words are the setting that a server
// needs for it; what it keeps is gone when it ends.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/prepare.mjs';

const { startS3 } = await import(pathToFileURL(join(ROOT, 'dist', 'test', 'support', 's3.js')).href);
const s3 = await startS3();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => s3.close());
process.stdout.write(`S3 at ${s3.url()}\n`);
