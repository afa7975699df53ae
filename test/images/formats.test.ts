// Every kind of image that we show goes in, and an upright WebP of the right size without anything private comes out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { THUMBNAIL_SIZES } from '../../src/images/thumbnails.ts';
import { BLUE, colourAt, imageOf, noise, RED, started, streamOf, twoColours } from '../support/images.ts';

const FORMATS = {
  jpeg: (image) => image.jpeg(),
  'progressive jpeg': (image) => image.jpeg({ progressive: true }),
  png: (image) => image.png(),
  'interlaced png': (image) => image.png({ progressive: true }),
  'png with 16 bits': (image) => image.toColourspace('rgb16').png(),
  'png with a palette': (image) => image.png({ palette: true }),
  webp: (image) => image.webp(),
  'lossless webp': (image) => image.webp({ lossless: true }),
  gif: (image) => image.gif(),
  avif: (image) => image.avif({ effort: 0 }),
  tiff: (image) => image.tiff(),
  'tiff with tiles': (image) => image.tiff({ compression: 'deflate', tile: true, tileWidth: 64, tileHeight: 64 }),
  'cmyk jpeg': (image) => image.toColourspace('cmyk').jpeg(),
} as const satisfies Record<string, (image: Sharp) => Sharp>;

test('every format becomes a WebP that fits inside', async (t) => {
  const thumbnails = started(t);
  for (const [name, encode] of Object.entries(FORMATS)) {
    const bytes = await encode(twoColours(800, 400)).toBuffer();
    const thumbnail = await thumbnails.make(imageOf(streamOf(bytes)), 128);
    const { format, width, height } = await sharp(thumbnail).metadata();
    assert.deepEqual({ format, width, height }, { format: 'webp', width: 128, height: 64 }, name);
    if (name === 'cmyk jpeg') continue;
    assert.equal(await colourAt(thumbnail, 20, 32), 'red', name);
    assert.equal(await colourAt(thumbnail, 108, 32), 'blue', name);
  }
});

test('every size is made, and an image is never enlarged', async (t) => {
  const thumbnails = started(t);
  const large = await noise(1500, 3000).jpeg().toBuffer();
  const small = await twoColours(100, 30).png().toBuffer();
  for (const size of THUMBNAIL_SIZES) {
    const reduced = await sharp(await thumbnails.make(imageOf(streamOf(large)), size)).metadata();
    assert.deepEqual([reduced.width, reduced.height], [size / 2, size]);
    const kept = await sharp(await thumbnails.make(imageOf(streamOf(small)), size)).metadata();
    assert.deepEqual([kept.width, kept.height], size === 64 ? [64, 19] : [100, 30]);
  }
  await assert.rejects(thumbnails.make(imageOf(streamOf(small)), 100), RangeError);
});

test('the eight orientations of EXIF come out upright', async (t) => {
  const thumbnails = started(t);
  // Where the left half of the stored image has to appear.
  const expected: Record<number, 'left' | 'right' | 'top' | 'bottom'> = {
    1: 'left',
    2: 'right',
    3: 'right',
    4: 'left',
    5: 'top',
    6: 'top',
    7: 'bottom',
    8: 'bottom',
  };
  const points = {
    left: { left: 4, top: 16 },
    right: { left: 60, top: 16 },
    top: { left: 16, top: 4 },
    bottom: { left: 16, top: 60 },
  };
  for (const [orientation, side] of Object.entries(expected)) {
    for (const format of ['jpeg', 'png', 'webp', 'tiff'] as const) {
      const image = twoColours(400, 200)
        .withMetadata({ orientation: Number(orientation) })
        .toFormat(format);
      const thumbnail = await thumbnails.make(imageOf(streamOf(await image.toBuffer())), 64);
      const { width, height } = await sharp(thumbnail).metadata();
      const what = `${format} ${orientation}`;
      assert.deepEqual([width, height], Number(orientation) < 5 ? [64, 32] : [32, 64], what);
      assert.equal(await colourAt(thumbnail, points[side].left, points[side].top), 'red', what);
    }
  }
});

test('transparency is kept', async (t) => {
  const thumbnails = started(t);
  const clear = { r: 0, g: 0, b: 0, alpha: 0 };
  for (const format of ['png', 'webp', 'gif', 'avif', 'tiff'] as const) {
    const image = sharp({ create: { width: 100, height: 200, channels: 4, background: { ...RED, alpha: 1 } } })
      .extend({ right: 100, background: clear })
      .tiff({ compression: 'deflate' })
      .toFormat(format);
    const thumbnail = await thumbnails.make(imageOf(streamOf(await image.toBuffer())), 64);
    assert.equal(await colourAt(thumbnail, 10, 32), 'red', format);
    assert.equal(await colourAt(thumbnail, 54, 32), 'clear', format);
  }
});

test('an animation shows its first frame and stands still', async (t) => {
  const thumbnails = started(t);
  const frames = await Promise.all(
    [RED, BLUE].map((background) =>
      sharp({ create: { width: 200, height: 200, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  for (const format of ['gif', 'webp'] as const) {
    const bytes = await sharp(frames, { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
    assert.equal((await sharp(bytes).metadata()).pages, 2);
    const thumbnail = await thumbnails.make(imageOf(streamOf(bytes)), 64);
    const { pages, width, height } = await sharp(thumbnail, { animated: true }).metadata();
    assert.deepEqual([pages ?? 1, width, height], [1, 64, 64], format);
    assert.equal(await colourAt(thumbnail, 32, 60), 'red', format);
  }
});

test('the location of a photo is removed', async (t) => {
  const thumbnails = started(t);
  const bytes = await twoColours(400, 200)
    .withExif({ IFD0: { Artist: 'Somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '35/1 41/1 22/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><place>home</place></x:xmpmeta>')
    .withIccProfile('p3')
    .jpeg()
    .toBuffer();
  const before = await sharp(bytes).metadata();
  assert.ok(before.exif && before.xmp && before.icc);
  const thumbnail = await thumbnails.make(imageOf(streamOf(bytes)), 64);
  const { exif, xmp, icc, iptc } = await sharp(thumbnail).metadata();
  assert.deepEqual([exif, xmp, icc, iptc], [undefined, undefined, undefined, undefined]);
  assert.ok(!thumbnail.includes('Somebody') && !thumbnail.includes('home'));
});
