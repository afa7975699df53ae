// @ts-check
// Which stage of a request a function belongs to, by the file that it stands in. What serves several stages (sockets,
// streams, events, compiled code of the engine) belongs to the stage that called it.

import { GARBAGE, isIdle } from './profile.mjs';

/**
 * In the order of a request; the first pattern that fits decides.
 * @type {readonly (readonly [stage: string, file: RegExp])[]}
 */
const STAGES = [
  ['parse HTTP', /^node:_http_(common|incoming|server)|^node:internal\/http|^src\/http\/(server\.|clients\/)/],
  [
    'router',
    /^node_modules\/(find-my-way|fast-querystring|safe-regex2|fast-decode-uri-component)|^src\/http\/(routes\/|openapi\/|health\.|preflight\.)/,
  ],
  [
    'head checks',
    /^src\/http\/(cross-origin\.|requests\/(accept-encoding|cookies|cross-site|identifiers|request-head|ranges|list-parameters|shapes)\.)/,
  ],
  ['admission', /^src\/(gate\/(admission|transfers)\.|load\/)/],
  ['gate', /^src\/gate\/(credentials|throttling|permit)/],
  ['quota', /^src\/gate\/quotas\//],
  [
    'ETag, hashes',
    /^src\/(domain\/(hash|records\/canonical-json)\.|http\/requests\/conditional\.)|^node:internal\/crypto/,
  ],
  ['body', /^src\/http\/requests\//],
  ['stages in between', /^src\/http\/(handle|keyed-requests)\./],
  ['operation', /^src\/(operations|domain|wire|context|faults)/],
  ['statements', /^src\/store\//],
  ['database driver', /^node_modules\/pg/],
  ['write the reply', /^node:_http_outgoing|^src\/http\/(send|write|compression|replies)/],
  [
    'log line',
    /^node_modules\/(pino|sonic-boom|thread-stream|safe-stable-stringify|quick-format-unescaped)|^src\/events\//,
  ],
  ['Server-Timing, deadline', /^src\/request\//],
  ['metrics, traces', /^src\/monitoring\/|^node_modules\/(prom-client|@opentelemetry)/],
];
const GARBAGE_STAGE = 'garbage collection';
const NODE_STAGE = 'sockets, promises, timers of Node';
const ENGINE_STAGE = 'engine and kernel, outside of functions';
const OTHER_STAGE = 'other';

export const STAGE_NAMES = [...STAGES.map(([name]) => name), NODE_STAGE, ENGINE_STAGE, GARBAGE_STAGE, OTHER_STAGE];

/** @param {import('./profile.mjs').Place} place @returns {string | undefined} undefined: nothing ran */
export function stageOf(place) {
  if (isIdle(place)) return undefined;
  if (place.name === GARBAGE) return GARBAGE_STAGE;
  /** @type {import('./profile.mjs').Place | undefined} */
  let at = place;
  for (; at !== undefined; at = at.caller) {
    const { file } = at;
    const found = STAGES.find(([, pattern]) => pattern.test(file));
    if (found) return found[0];
    if (file !== '' && !file.startsWith('node:')) return OTHER_STAGE;
  }
  return place.file === '' && (place.caller === undefined || place.caller.name === '(root)')
    ? ENGINE_STAGE
    : NODE_STAGE;
}

/** @param {readonly import('./profile.mjs').Place[]} places @returns {Map<string, number>} microseconds of each stage */
export function microsByStage(places) {
  /** @type {Map<string, number>} */
  const all = new Map();
  for (const place of places) {
    const stage = stageOf(place);
    if (stage !== undefined && place.micros > 0) all.set(stage, (all.get(stage) ?? 0) + place.micros);
  }
  return all;
}
