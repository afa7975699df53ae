// What is no image, or one that would take too much, is refused with a sentence, and costs the next one nothing.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import sharp from 'sharp';
import { fitsInMemory, type ImageHeader, kindOf } from '../../src/images/image-kinds.ts';
import { NotAnImage, type Thumbnails } from '../../src/images/thumbnails.ts';
import { gifOf, imageOf, largest, noise, pngOf, started, streamOf, twoColours, workersOf } from '../support/images.ts';

const NO_KIND = 'The file is not a JPEG, PNG, WebP, GIF, AVIF or TIFF image.';
const TOO_MANY_PIXELS = 'The image has too many pixels.';
const DAMAGED = 'The image is damaged or incomplete.';

async function reasonOf(thumbnails: Thumbnails, source: Readable): Promise<string> {
  const error: unknown = await thumbnails.make(imageOf(source), 64).then(
    () => new Error('a thumbnail was made'),
    (reason) => reason,
  );
  assert.ok(error instanceof NotAnImage, String(error));
  assert.ok(source.destroyed);
  return error.reason;
}

async function works(thumbnails: Thumbnails): Promise<void> {
  const thumbnail = await thumbnails.make(imageOf(streamOf(await twoColours(200, 100).png().toBuffer())), 64);
  assert.equal((await sharp(thumbnail).metadata()).width, 64);
}

test('files that are not images with thumbnails', async (t) => {
  const thumbnails = started(t);
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(200)]);
  const avif = await twoColours(64, 64).avif({ effort: 0 }).toBuffer();
  const others = {
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'svg with declaration': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    html: '<!doctype html><html><body><img src="x"></body></html>',
    pdf: '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n',
    text: 'Nothing to see here. '.repeat(100),
    ppm: `P6 2 2 255\n${'abc'.repeat(4)}`,
    empty: '',
    'one byte': '\xff',
    heic,
    'avif under the name of heic': Buffer.concat([heic.subarray(0, 24), avif.subarray(avif.readUInt32BE(0))]),
  };
  for (const [name, bytes] of Object.entries(others)) {
    assert.equal(await reasonOf(thumbnails, streamOf(bytes)), NO_KIND, name);
  }
  await works(thumbnails);
  assert.equal(workersOf().length, 1);
});

test('files that begin like an image but are not, or is cut off', async (t) => {
  const thumbnails = started(t);
  const photo = await noise(600, 400).jpeg().toBuffer();
  const drawing = await noise(600, 400).png().toBuffer();
  const webp = await noise(600, 400).webp().toBuffer();
  const avif = await noise(600, 400).avif({ effort: 0 }).toBuffer();
  const others = {
    'a script behind the signature of a GIF': `GIF89a/*${' '.repeat(100)}*/=1;alert(document.cookie)`,
    'html behind the signature of a PNG': '\x89PNG\r\n\x1a\n<html><script>alert(1)</script></html>'.padEnd(200),
    'svg behind the signature of a TIFF': 'II*\0<svg xmlns="http://www.w3.org/2000/svg"/>'.padEnd(200),
    'a jpeg cut off': photo.subarray(0, photo.length / 2),
    'a png cut off': drawing.subarray(0, drawing.length / 2),
    'a webp cut off': webp.subarray(0, webp.length / 2),
    'an avif cut off': avif.subarray(0, avif.length / 2),
    'a png of a header alone': drawing.subarray(0, 33),
  };
  for (const [name, bytes] of Object.entries(others)) {
    const latin1 = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    assert.equal(await reasonOf(thumbnails, streamOf(latin1)), DAMAGED, name);
  }
  await works(thumbnails);
  assert.equal(workersOf().length, 1);
});

test('the content decides, whatever came before or after it', async (t) => {
  const thumbnails = started(t);
  // make() is told neither a name nor a type: a JPEG uploaded as image/png is a JPEG.
  const photo = await twoColours(400, 200).jpeg().toBuffer();
  const polyglot = Buffer.concat([photo, Buffer.from('<script>alert(1)</script>')]);
  const thumbnail = await thumbnails.make(imageOf(streamOf(polyglot)), 64);
  assert.ok(!thumbnail.includes('script'));
  assert.equal(kindOf(photo.subarray(0, 64)), 'jpeg');
  const behind = Buffer.concat([Buffer.from(' '.repeat(64)), photo]);
  assert.equal(await reasonOf(thumbnails, streamOf(behind)), NO_KIND);
});

test('pixel bombs', async (t) => {
  const thumbnails = started(t);
  assert.equal(await reasonOf(thumbnails, streamOf(pngOf(30_000, 30_000, 1_000_000))), TOO_MANY_PIXELS);
  assert.equal(await reasonOf(thumbnails, streamOf(pngOf(2 ** 31 - 1, 2 ** 31 - 1, 100))), DAMAGED);
  assert.equal(await reasonOf(thumbnails, streamOf(gifOf(65_535, 65_535))), TOO_MANY_PIXELS);
  assert.equal(await reasonOf(thumbnails, streamOf(gifOf(9000, 9000))), TOO_MANY_PIXELS);
  const avif = await sharp({ create: { width: 5000, height: 5000, channels: 3, background: 'red' } })
    .avif({ effort: 0 })
    .toBuffer();
  assert.equal(await reasonOf(thumbnails, streamOf(avif)), TOO_MANY_PIXELS);
  await works(thumbnails);
  assert.equal(workersOf().length, 1);
});

test('a large image within the bounds is shown', async (t) => {
  const thumbnails = started(t);
  const { width, height } = await sharp(await thumbnails.make(imageOf(streamOf(largest())), 64)).metadata();
  assert.deepEqual([width, height], [64, 64]);
});

test('how many pixels each kind may have', () => {
  const header = (pixels: number, more: Partial<ImageHeader> = {}): ImageHeader => ({
    width: 1000,
    height: pixels / 1000,
    channels: 4,
    depth: 'uchar',
    ...more,
  });
  const deep = { depth: 'ushort' };
  const interlaced = { isProgressive: true };
  assert.ok(fitsInMemory('jpeg', header(100e6)) && !fitsInMemory('jpeg', header(101e6)));
  assert.ok(fitsInMemory('jpeg', header(45e6, interlaced)) && !fitsInMemory('jpeg', header(46e6, interlaced)));
  assert.ok(fitsInMemory('png', header(100e6, deep)) && fitsInMemory('png', header(74e6, interlaced)));
  assert.ok(!fitsInMemory('png', header(38e6, { ...deep, ...interlaced })));
  assert.ok(fitsInMemory('webp', header(90e6)) && !fitsInMemory('webp', header(91e6)));
  assert.ok(fitsInMemory('gif', header(72e6)) && !fitsInMemory('gif', header(73e6)));
  assert.ok(fitsInMemory('avif', header(20e6)) && !fitsInMemory('avif', header(11e6, deep)));
  assert.ok(fitsInMemory('tiff', header(60e6)) && !fitsInMemory('tiff', header(60e6, deep)));
});

test('too many bytes, and a film that is not read to its end', async (t) => {
  const thumbnails = started(t);
  let given = 0;
  const start = await noise(100, 100).jpeg().toBuffer();
  async function* endless(first: Buffer) {
    yield first;
    for (const more = Buffer.alloc(1_000_000); ; given += more.length) yield more;
  }
  assert.equal(await reasonOf(thumbnails, Readable.from(endless(start))), 'The file is larger than 64 MiB.');
  assert.ok(given > 60e6 && given < 80e6, String(given));
  given = 0;
  assert.equal(await reasonOf(thumbnails, Readable.from(endless(Buffer.from('film'.repeat(50))))), NO_KIND);
  assert.ok(given < 64e6, String(given));
  await works(thumbnails);
});

test('a refused image is not decoded again when it is requested again', async (t) => {
  const thumbnails = started(t);
  const photo = await noise(600, 400).jpeg().toBuffer();
  let opened = 0;
  const open = async () => {
    opened += 1;
    return streamOf(photo.subarray(0, photo.length / 2));
  };
  for (const size of [64, 64, 128, 1024]) {
    await assert.rejects(
      thumbnails.make({ name: 'damaged', tenant: 'one', open }, size),
      (error) => error instanceof NotAnImage && error.reason === DAMAGED,
    );
  }
  assert.equal(opened, 1);
  await works(thumbnails);
});
