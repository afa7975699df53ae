// A server in small: starts a thumbnail, says so, and waits to be killed in the middle of it.
import { PassThrough } from 'node:stream';
import { Thumbnails } from '../../src/images/thumbnails.ts';
import { imageOf, largest, noise, streamOf } from '../support/images.ts';

const thumbnails = new Thumbnails();
const bytes = await noise(300, 200).png().toBuffer();
await thumbnails.make(imageOf(streamOf(bytes)), 64);
process.stdout.write('made\n');

if (process.argv[2] === 'stalled') {
  const source = new PassThrough();
  source.write(bytes.subarray(0, 1000));
  await thumbnails.make(imageOf(source), 64);
} else {
  process.stdout.write('large\n');
  for (;;) await thumbnails.make(imageOf(streamOf(largest())), 1024);
}
