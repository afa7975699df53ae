// @ts-check
// `npm run torture -- fuzz`: the inputs of test/fuzz, sent to a server that is a process of its own, whose log, memory and
// open files are watched.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { counter, note } from '../../bench/progress.mjs';
import { startOurs } from '../../bench/side-ours.mjs';
import { Failure } from '../../scripts/processes.mjs';
import { growthOf, sampleOf } from './growth.mjs';
import { readOptions } from './options.mjs';
import { describeFinding, reportOf, writeReport } from './report.mjs';

/** Inputs with wrong credentials would be throttled after the first few, and nothing after them be reached. */
const SETTINGS = {
  CARTULARY_AUTH_FAILURES_ACCOUNT: '1000000',
  CARTULARY_AUTH_FAILURES_ADDRESS: '1000000',
};

/** Lines of the log that only a fault of the server writes. @param {string} log */
const failuresIn = (log) =>
  log.split('\n').filter((line) => /"level":(?:50|60),|^\s+at |Uncaught|Unhandled/.test(line));

/** @param {readonly string[]} args */
export async function run(args) {
  const options = readOptions(args);
  if (options === undefined) return;
  const { seed, inputs, only, connections, heap, write } = options;
  const folder = mkdtempSync(join('/tmp', 'ct-fuzz-'));
  chmodSync(folder, 0o711);
  const operatorKey = randomBytes(24).toString('hex');
  const settings = { ...SETTINGS, ...(heap === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heap}` }) };
  note(`Seed ${seed}`);
  const server = await startOurs({ folder, operatorKey, logLevel: 'warn', settings });
  try {
    const { fuzz } = await import(new URL('../../dist/test/fuzz/fuzz.js', import.meta.url).href);
    const progress = counter('Inputs', only === undefined ? inputs : 1);
    /** @type {import('./growth.mjs').Sample[]} */
    const samples = [];
    const began = performance.now();
    const onBatch = (/** @type {number} */ done) => {
      samples.push(sampleOf(server.pid));
      progress(done);
    };
    /** @type {import('./report.mjs').Fuzzed} */
    const fuzzed = await fuzz({ address: server.address, operatorKey, seed, inputs, only, connections, onBatch }).catch(
      (/** @type {unknown} */ error) => {
        const died = server.ended() ? 'The server has ended. ' : '';
        throw new Failure(`${died}${error}\nIts log ends with:\n${server.log().text.slice(-3_000)}`);
      },
    );
    const growth = growthOf(samples);
    const logged = failuresIn(server.log().text);
    const seconds = (performance.now() - began) / 1000;
    const report = reportOf(options, { fuzzed, growth, logged: logged.length, seconds });
    process.stdout.write(`${report}\n`);
    for (const finding of fuzzed.findings) process.stdout.write(`\n${describeFinding(seed, finding)}\n`);
    for (const line of logged.slice(0, 20)) process.stdout.write(`\nlogged: ${line.slice(0, 2_000)}\n`);
    const problems = [
      ...(fuzzed.findings.length > 0 ? [`${fuzzed.findings.length} inputs had a wrong reply or none`] : []),
      ...(logged.length > 0 ? [`the server logged ${logged.length} failures`] : []),
      ...(only === undefined ? growth.problems : []),
    ];
    if (write && only === undefined) await writeReport(report, args);
    if (problems.length > 0) throw new Failure(`Failed: ${problems.join('; ')}.`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
