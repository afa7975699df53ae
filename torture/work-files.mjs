// @ts-check
// What clients do with files: uploads at once, resumable uploads that are cut at any byte and continued at any node, and
// records that hold them.

import { setTimeout as pause } from 'node:timers/promises';
import { count } from './client.mjs';
import { addTrack, contentOf, note, noteMaybe } from './model.mjs';
import { COLUMN, THINGS } from './scene.mjs';
import { judgeRecord, text } from './work-records.mjs';
import { judgeRefusal } from './worker.mjs';

/** @typedef {import('./worker.mjs').Worker} Worker */

const TUS = { 'tus-resumable': '1.0.0' };
const STEPS_MAX = 60;
const LATER_MS = 60;

/** Mostly small; some are streamed, and some have many parts. @param {Worker} worker */
const sizeOf = ({ random }) =>
  random.pick([random.integer(2_000), random.integer(60_000), random.between(250_000, 400_000)]);

/** @param {Worker} worker @param {number} size */
function newFile(worker, size) {
  const name = `${worker.marker()}.bin`;
  /** @type {import('./model.mjs').FileTrack} */
  const file = { name, size, id: undefined, done: false };
  worker.model.files.set(name, file);
  return file;
}

/** @param {Worker} worker */
async function upload(worker) {
  const { random, scene } = worker;
  const file = newFile(worker, sizeOf(worker));
  const isKeyed = random.chance(0.6);
  const sent = {
    ...{ method: 'POST', path: scene.attachments(THINGS), bytes: contentOf(file.name, file.size) },
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${file.name}"`,
      ...(isKeyed ? { 'idempotency-key': `${file.name}k` } : {}),
    },
  };
  const cutAfter = file.size > 0 && random.chance(0.15) ? random.integer(file.size) : undefined;
  if (cutAfter !== undefined) await worker.send({ ...sent, cutAfter });
  const outcome = await (isKeyed ? worker.insist(sent) : worker.send(sent));
  judgeRefusal(worker, outcome, 'an upload');
  if (outcome.certainty !== 'done') return;
  if (outcome.body.size !== file.size || outcome.body.name !== file.name)
    worker.violation(`${file.name} is another file`);
  file.id = outcome.body.id;
  file.done = true;
  await hold(worker, file);
}

/** A record that holds the file. @param {Worker} worker @param {import('./model.mjs').FileTrack} file */
async function hold(worker, file) {
  const { model, scene } = worker;
  if (file.id === undefined) return;
  const marker = worker.marker();
  const track = addTrack(model, THINGS, marker);
  const values = {
    [COLUMN.code]: text(marker),
    [COLUMN.tag]: text(worker.random.pick(worker.tags)),
    [COLUMN.file]: { type: 'Attachment', id: file.id },
  };
  const outcome = await worker.send({ method: 'POST', path: scene.records(THINGS), json: { values } });
  judgeRefusal(worker, outcome, `a record for ${file.name}`);
  if (outcome.certainty === 'maybe') noteMaybe(track, 'create', values);
  if (outcome.certainty !== 'done') return;
  note(track, 'create', values);
  judgeRecord(worker, track, outcome.body, 'write');
  worker.own.push(track);
}

/** @param {Worker} worker */
async function uploadInParts(worker) {
  const { random, scene } = worker;
  const file = newFile(worker, random.between(1, 900_000));
  const metadata = `filename ${Buffer.from(file.name).toString('base64')}`;
  const announced = await worker.insist({
    ...{ method: 'POST', path: scene.uploads(THINGS) },
    headers: {
      ...TUS,
      'upload-length': String(file.size),
      'upload-metadata': metadata,
      'idempotency-key': `${file.name}k`,
    },
  });
  judgeRefusal(worker, announced, 'an announcement');
  if (announced.certainty !== 'done') return;
  const { id } = announced.body;
  file.id = id;
  const bytes = contentOf(file.name, file.size);
  let acknowledged = 0;
  for (let steps = 0; steps < STEPS_MAX && !worker.stopped(); steps++) {
    const state = await worker.send({ method: 'HEAD', path: scene.uploads(THINGS, id), headers: TUS });
    if (state.status !== 200) {
      if (state.status === 404) return worker.violation(`the upload of ${file.name} is gone`);
      await pause(LATER_MS);
      continue;
    }
    const offset = Number(state.headers['upload-offset']);
    if (offset < acknowledged) worker.violation(`${file.name} has lost bytes: ${offset} of ${acknowledged}`);
    if (offset > file.size) worker.violation(`${file.name} has more bytes than it should`);
    if (offset === file.size) {
      file.done = true;
      return hold(worker, file);
    }
    acknowledged = Math.max(acknowledged, await appendPart(worker, { id, bytes, offset }));
  }
}

/** @param {Worker} worker @param {{ id: string, bytes: Buffer, offset: number }} part @returns {Promise<number>} the offset that was acknowledged */
async function appendPart(worker, { id, bytes, offset }) {
  const { random, scene, tally } = worker;
  const rest = bytes.length - offset;
  const part = bytes.subarray(offset, offset + (random.chance(0.5) ? rest : random.between(1, rest)));
  const isCut = random.chance(0.5);
  const cutAfter = isCut ? random.integer(part.length) : undefined;
  if (cutAfter !== undefined) {
    count(tally.counted, 'uploads cut');
    count(tally.counted, `uploads cut in tenth ${Math.floor(((offset + cutAfter) * 10) / bytes.length) + 1}`);
  }
  const outcome = await worker.send({
    ...{ method: 'PATCH', path: scene.uploads(THINGS, id), bytes: part },
    ...(cutAfter === undefined ? {} : { cutAfter }),
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
  });
  const isLate = ['UPLOAD_BUSY', 'UPLOAD_OFFSET_MISMATCH'].includes(outcome.code);
  if (isLate) await pause(LATER_MS);
  else judgeRefusal(worker, outcome, 'a part of an upload');
  return outcome.certainty === 'done' ? Number(outcome.headers['upload-offset']) : 0;
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const FILE_OPERATIONS = {
  'files uploaded': { weight: 3, run: upload },
  'resumable uploads': { weight: 3, run: uploadInParts },
};
