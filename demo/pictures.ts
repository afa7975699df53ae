// The pictures of the demonstration's photos, drawn here to keep image files out of the source: a building in the evening
// with some lit windows.

import { deflateSync } from 'node:zlib';
import type { Dice } from './dice.ts';

const WIDTH = 480;
const HEIGHT = 360;
const GROUND = 320;

type Colour = readonly [red: number, green: number, blue: number];

const SKIES: readonly (readonly [top: Colour, bottom: Colour])[] = [
  [
    [38, 70, 122],
    [240, 170, 120],
  ],
  [
    [90, 140, 200],
    [225, 235, 245],
  ],
  [
    [30, 40, 70],
    [150, 120, 150],
  ],
];
const WALLS: readonly Colour[] = [
  [150, 140, 130],
  [110, 122, 135],
  [176, 150, 120],
];
const STREET: Colour = [70, 72, 76];
const LIT: Colour = [250, 220, 140];
const DARK: Colour = [45, 55, 70];

/** A PNG of a building with this number of floors. */
export function drawBuilding(floors: number, dice: Dice): Buffer {
  const pixels = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  const paint = ({ x, y, width, height, colour }: Rectangle) => {
    for (let row = Math.max(0, y); row < Math.min(HEIGHT, y + height); row += 1) {
      for (let column = x; column < x + width; column += 1) pixels.set(colour, at(column, row));
    }
  };
  const [top, bottom] = dice.pick(SKIES);
  for (let y = 0; y < GROUND; y += 1)
    paint({ x: 0, y, width: WIDTH, height: 1, colour: between(top, bottom, y / GROUND) });
  paint({ x: 0, y: GROUND, width: WIDTH, height: HEIGHT - GROUND, colour: STREET });
  const shown = Math.min(12, Math.max(1, floors));
  const columns = dice.whole(4, 8);
  const storey = Math.min(48, Math.floor((GROUND - 30) / shown));
  const left = Math.floor((WIDTH - columns * 40) / 2);
  paint({
    x: left - 8,
    y: GROUND - shown * storey - 8,
    width: columns * 40 + 16,
    height: shown * storey + 8,
    colour: dice.pick(WALLS),
  });
  for (let floor = 0; floor < shown; floor += 1) {
    for (let column = 0; column < columns; column += 1) {
      const y = GROUND - (floor + 1) * storey + Math.floor(storey / 5);
      const colour = dice.chance(0.4) ? LIT : DARK;
      paint({ x: left + column * 40 + 8, y, width: 24, height: Math.ceil(storey / 2), colour });
    }
  }
  return png(pixels);
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: Colour;
}

/** Each row of a PNG begins with the number of its filter, here none. */
const at = (x: number, y: number): number => y * (1 + WIDTH * 3) + 1 + x * 3;

const between = (from: Colour, to: Colour, part: number): Colour => [
  Math.round(from[0] + (to[0] - from[0]) * part),
  Math.round(from[1] + (to[1] - from[1]) * part),
  Math.round(from[2] + (to[2] - from[2]) * part),
];

function png(pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits of red, green and blue each.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** The CRC of PNG; Node only has one from version 22 on. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
