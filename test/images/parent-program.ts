// A server in small: starts a thumbnail, says so, and waits to be killed in the middle of it.
import { PassThrough } from 'node:stream';
import { Thumbnails } from '../../src/images/thumbnails.ts';
import { noise, streamOf } from './samples.ts';

const thumbnails = new Thumbnails();
const bytes = await noise(300, 200).png().toBuffer();
await thumbnails.make(streamOf(bytes), 64);
process.stdout.write('made\n');

if (process.argv[2] === 'stalled') {
  const source = new PassThrough();
  source.write(bytes.subarray(0, 1000));
  await thumbnails.make(source, 64);
} else {
  const large = await noise(7000, 7000).png({ compressionLevel: 1 }).toBuffer();
  process.stdout.write('large\n');
  for (;;) await thumbnails.make(streamOf(large), 1024);
}
