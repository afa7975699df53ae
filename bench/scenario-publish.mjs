// @ts-check
// The scenario `publish`: a column of a filled collection becomes sortable, searchable, unique, while a reader and a
// writer go on. What counts is how long each of them had to wait at the most.

import { prepareApplication, publish } from './application.mjs';
import { startLoad } from './load-process.mjs';
import { operationNamed } from './operations.mjs';
import { note, warn } from './progress.mjs';
import { recordsSide } from './side.mjs';
import { count, milliseconds, table } from './table.mjs';
import { publishDocument } from './work.mjs';

/** Bounds a publishing that never ends; the pace leaves the publishing some of the machine. */
const SECONDS_MAX = 1_800;
const PACE_MS = 2;
const BEFORE_MS = 1_000;

/** One flag after the other is added to those that are there. */
const STEPS = [
  { name: 'sortable', flags: { Title: { sortable: true } } },
  { name: 'searchable', flags: { Title: { sortable: true }, Body: { searchable: true } } },
  {
    name: 'unique',
    flags: { Title: { sortable: true }, Body: { searchable: true }, Code: { unique: true, searchable: true } },
  },
];

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runPublish(ground, { records, only }) {
  const application = await prepareApplication(ground, { plain: records });
  const { address, pid } = ground.ours;
  const side = recordsSide({ name: 'ours', address, pid, ground, application, collection: 'plain', filesFolder: '' });
  const [reader, writer] = [startLoad(), startLoad()];
  /** @type {import('./table.mjs').Cell[][]} */
  const rows = [];
  /** @type {object[]} */
  const results = [];
  try {
    const target = await side.prepare(operationNamed('get'), { connections: 1, seconds: 1 });
    /** @param {import('./load-process.mjs').Load} load @param {string} operation */
    const go = (load, operation) => {
      const port = Number(new URL(address).port);
      return load.run({ operation, port, target, connections: 1, seconds: SECONDS_MAX, intervalMs: PACE_MS });
    };
    for (const { name, flags } of STEPS) {
      if (only.length > 0 && !only.includes(name)) continue;
      const going = Promise.all([go(reader, 'get'), go(writer, 'update 1')]);
      going.catch(() => {});
      await wait(BEFORE_MS);
      const logFrom = ground.ours.log().end;
      const began = performance.now();
      const done = await publish(ground, publishDocument(flags)).then(
        () => true,
        (error) => {
          warn(`making a column ${name} FAILED: ${error.message}`);
          return false;
        },
      );
      const seconds = (performance.now() - began) / 1000;
      await wait(BEFORE_MS);
      reader.stop();
      writer.stop();
      const [read, written] = await going;
      for (const [who, outcome] of /** @type {const} */ ([
        ['reader', read],
        ['writer', written],
      ])) {
        if (outcome.errors > 0)
          warn(`${name}, ${who}: ${outcome.errors} ERRORS, such as ${outcome.examples.join(' | ')}`);
      }
      const lines = progressLines(ground.ours.log(logFrom).text);
      note(`  ${name}: ${seconds.toFixed(1)} s${done ? '' : ' and failed'}`);
      for (const line of lines) note(`    ${line}`);
      results.push({ name, done, seconds, reader: read, writer: written, lines });
      rows.push([
        name,
        done ? seconds.toFixed(1) : 'failed',
        ...[read, written].flatMap(({ longest, p99, requests }) => [
          milliseconds(longest),
          milliseconds(p99),
          count(requests),
        ]),
        read.errors + written.errors,
        lines.length,
      ]);
    }
  } finally {
    await reader.end();
    await writer.end();
  }
  const head = [
    'make a column',
    'seconds',
    'reader: longest ms',
    'p99 ms',
    'reads',
    'writer: longest ms',
    'p99 ms',
    'writes',
  ];
  const text = [
    `${records.toLocaleString('en')} records, one reader and one writer going on`,
    '',
    table([...head, 'errors', 'lines logged'], rows),
  ].join('\n');
  return { results, text };
}

/** What the server said meanwhile, without the lines on single requests. @param {string} text */
const progressLines = (text) => text.split('\n').filter((line) => line !== '' && !line.includes('"msg":"request"'));
