// @ts-check
// Loaded into a node before its own code (`--import`): lets the torture step the node's clock and make fsync fail, by files
// in a folder. Without that folder it changes nothing.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/** Of the folder, which the settings of the server ignore. */
export const FOLDER = 'CARTULARY_TEST_TORTURE';
/** Holds by how many milliseconds the clock is ahead. */
export const CLOCK = 'clock';
/** While it is there, fsync fails. */
export const FSYNC = 'fsync';
/** Has a byte for each fsync that failed. */
export const FAILED = 'fsync-failed';

const LOOK_MS = 50;

/** @param {string} folder */
function stepClock(folder) {
  const realNow = Date.now;
  const realOrigin = performance.timeOrigin;
  let ahead = 0;
  const look = () => {
    try {
      ahead = Number(fs.readFileSync(join(folder, CLOCK), 'utf8')) || 0;
    } catch {
      ahead = 0;
    }
  };
  look();
  setInterval(look, LOOK_MS).unref();
  const RealDate = Date;
  class SteppedDate extends RealDate {
    /** @param {[] | [number | string | Date]} args */
    constructor(...args) {
      if (args.length === 0) super(realNow() + ahead);
      else super(...args);
    }
    /** @override */
    static now() {
      return realNow() + ahead;
    }
  }
  globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (SteppedDate));
  Object.defineProperty(performance, 'timeOrigin', { get: () => realOrigin + ahead });
}

/** @param {string} folder */
async function breakFsync(folder) {
  const failure = () => {
    if (!fs.existsSync(join(folder, FSYNC))) return undefined;
    fs.appendFileSync(join(folder, FAILED), '.');
    return Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', errno: -5, syscall: 'fsync' });
  };
  for (const name of /** @type {const} */ (['fsync', 'fdatasync'])) {
    const real = fs[name];
    /** @param {number} file @param {(error: NodeJS.ErrnoException | null) => void} done */
    const broken = (file, done) => {
      const error = failure();
      if (error === undefined) real(file, done);
      else process.nextTick(done, error);
    };
    Object.assign(fs, { [name]: broken });
  }
  const handle = await fs.promises.open(import.meta.filename, 'r');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  for (const name of ['sync', 'datasync']) {
    const real = prototype[name];
    prototype[name] = async function brokenSync() {
      const error = failure();
      if (error !== undefined) throw error;
      return real.call(this);
    };
  }
  syncBuiltinESMExports();
}

const folder = process.env[FOLDER];
if (folder !== undefined) {
  stepClock(folder);
  await breakFsync(folder);
}
