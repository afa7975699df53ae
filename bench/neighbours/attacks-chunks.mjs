// @ts-check
// Endless bodies in chunks of one byte: each chunk costs the server more than its sender.

import { ask } from '../http-client.mjs';
import { requestHead } from '../requests.mjs';
import { NEIGHBOUR } from '../work.mjs';
import { collectionPath } from './application.mjs';
import { attack } from './attack.mjs';
import { pour } from './sending.mjs';
import { FILE_BYTES } from './stock.mjs';

/** Below the size limits of the bodies of a sign-in and of a record. */
const FEW = 102_000;
const MANY = 1_000_000;
const CHUNKED = 'Transfer-Encoding: chunked';
const JSON_CHUNKED = ['Content-Type: application/json', CHUNKED];

/** @param {number} count */
const inChunks = (count) => Buffer.from('1\r\n[\r\n'.repeat(count));

export const CHUNKS = [
  attack({
    name: 'chunks',
    sentence: '120 sign-in requests whose bodies arrive in chunks of one byte and never end',
    takesMemory: true,
    run: async (scene) => {
      const path = `/v1/${NEIGHBOUR}/session`;
      const head = requestHead({ host: scene.host }, { method: 'POST', path, headers: JSON_CHUNKED });
      await pour(scene, { connections: 120, head: () => head, body: inChunks(FEW) });
    },
  }),
  attack({
    name: 'chunks-token',
    sentence: '24 requests to create records with bodies in endless chunks of one byte',
    takesMemory: true,
    run: async (scene) => {
      const path = `${collectionPath('sink')}/records`;
      const head = requestHead(scene, { method: 'POST', path, headers: JSON_CHUNKED });
      await pour(scene, { connections: 24, head: () => head, body: inChunks(MANY) });
    },
  }),
  attack({
    name: 'chunks-upload',
    sentence: '24 uploads in endless chunks of one byte, half of them announced uploads',
    takesMemory: true,
    run: async (scene) => {
      const path = `${collectionPath('files')}/attachments`;
      const plain = requestHead(scene, { method: 'POST', path, headers: [CHUNKED] });
      /** A new upload each time: an interrupted one has another offset. */
      const announced = async () => {
        const uploads = `${collectionPath('files')}/uploads`;
        const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Length': String(FILE_BYTES) };
        const { id } = await ask(`http://${scene.host}`, {
          method: 'POST',
          path: uploads,
          token: scene.token,
          headers,
        });
        const about = [
          'Tus-Resumable: 1.0.0',
          'Upload-Offset: 0',
          'Content-Type: application/offset+octet-stream',
          CHUNKED,
        ];
        return requestHead(scene, { method: 'PATCH', path: `${uploads}/${id}`, headers: about });
      };
      const head = (/** @type {number} */ n) => (n % 2 === 0 ? plain : announced().catch(() => plain));
      await pour(scene, { connections: 24, head, body: inChunks(MANY) });
    },
  }),
];
