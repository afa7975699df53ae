// @ts-check
// Loaded into the server that is profiled (`node --import`): takes a processor profile of its main thread between two
// messages of the parent. Its own file, so that the server knows nothing of it.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Fine enough for requests of a few tens of microseconds each; the default is 1,000. */
const SAMPLE_MICROS = 250;

/** @typedef {{ start: true } | { stop: string }} ProfilerMessage `stop`: the file for the profile */

const session = new Session();
session.connect();

/** @param {ProfilerMessage} message */
async function obey(message) {
  if ('start' in message) {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(message.stop, JSON.stringify(profile));
  }
}

process.on('message', (/** @type {ProfilerMessage} */ message) => {
  obey(message).then(
    () => process.send?.({ done: true }),
    (error) => process.send?.({ failure: String(error) }),
  );
});
// The channel does not keep the server alive.
process.channel?.unref();
