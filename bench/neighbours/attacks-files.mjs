// @ts-check
// Files: thumbnails of expensive images, uploads and downloads of the largest allowed files.

import { requestBytes, requestHead } from '../requests.mjs';
import { collectionPath } from './application.mjs';
import { attack } from './attack.mjs';
import { flood, pour } from './sending.mjs';
import { FILE_BYTES } from './stock.mjs';

const PATH = `${collectionPath('files')}/attachments`;
const SIZES = [64, 128, 256, 512, 1024];
const PICTURES = 40;
const PICTURE = { width: 4_000, height: 3_000 };
const SLOW_BYTES_PER_SECOND = 64 * 1024;
/** Of each fast transfer: 160 MB/s together, which costs this process a small part of a core. */
const FAST_BYTES_PER_SECOND = 20 * 2 ** 20;
const FAST = 8;
/** Together with the fast ones they take all transfer slots of one application. */
const SLOW_UPLOADS = 56;
const SLOW_DOWNLOADS = 248;

/** Uploaded for each row, because thumbnails are stored; every fourth image is damaged. @param {import('./attack.mjs').Field} field */
async function addPictures({ host, token }) {
  const { default: sharp } = await import('sharp');
  const noise = /** @type {const} */ ({ type: 'gaussian', mean: 128, sigma: 30 });
  const whole = await sharp({ create: { ...PICTURE, channels: 3, background: '#888', noise } })
    .jpeg()
    .toBuffer();
  const damaged = whole.subarray(0, whole.length / 2);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/jpeg' };
  /** @type {string[]} */
  const ids = [];
  for (let i = 0; i < PICTURES; i++) {
    const body = new Uint8Array(i % 4 === 3 ? damaged : whole);
    const response = await fetch(`http://${host}${PATH}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`a picture was answered ${response.status}`);
    ids.push(JSON.parse(await response.text()).id);
  }
  return ids;
}

export const FILES = [
  attack({
    name: 'thumbnails',
    sentence:
      '40 connections that request thumbnails of 12-megapixel images in five sizes; every fourth image is damaged',
    setUp: addPictures,
    takesMemory: true,
    run: async (scene) => {
      const all = scene.made.flatMap((id) =>
        SIZES.map((size) => requestBytes(scene, { method: 'GET', path: `${PATH}/${id}?size=${size}` })),
      );
      const first = Math.floor(Math.random() * all.length);
      const request = (/** @type {number} */ n) => /** @type {Buffer} */ (all[(first + n * 7) % all.length]);
      await flood(scene, { connections: 40, perSecond: 200, request });
    },
  }),
  attack({
    name: 'uploads',
    sentence: '64 concurrent uploads of 50 MB, 8 of them fast and the others at 64 KB/s',
    takesMemory: true,
    run: async (scene) => {
      const head = requestHead(scene, { method: 'POST', path: PATH, headers: [`Content-Length: ${FILE_BYTES}`] });
      const request = { head: () => head, body: Buffer.alloc(FILE_BYTES, 'cartulary ') };
      await Promise.all([
        pour(scene, { connections: FAST, bytesPerSecond: FAST_BYTES_PER_SECOND, ...request }),
        pour(scene, { connections: SLOW_UPLOADS, bytesPerSecond: SLOW_BYTES_PER_SECOND, ...request }),
      ]);
    },
  }),
  attack({
    name: 'downloads',
    sentence: '256 concurrent downloads of 50 MB, 8 of them fast and the others at 64 KB/s',
    needs: ['file'],
    takesMemory: true,
    run: async (scene) => {
      const bytes = requestBytes(scene, { method: 'GET', path: `${PATH}/${scene.stock.file}` });
      const request = () => bytes;
      await Promise.all([
        flood(scene, { connections: FAST, bytesPerSecond: FAST_BYTES_PER_SECOND, request }),
        flood(scene, { connections: SLOW_DOWNLOADS, bytesPerSecond: SLOW_BYTES_PER_SECOND, request }),
      ]);
    },
  }),
];
