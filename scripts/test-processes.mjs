// @ts-check
// Which test files run in which process, and in which order. Node's runner starts a process for each file that it is
// given and takes them by name, so it is given small files, numbered, that import the real ones.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Loading the server takes longer than the tests of most files, so files share processes. Those of these folders do not:
// they change what belongs to a process (signals, settings, the current folder).
const UNSOCIABLE = ['bench', 'bootstrap', 'embedded', 'settings', 'system'];

// These need a process of their own.
export const ALONE = [
  // They measure the memory of their process, or its time.
  'activity-log/large',
  'security/enumeration-by-time',
  'store/blobs-memory',
  // They start and kill servers or children, for minutes.
  'notifications/restart',
  'quotas/killed',
  'cli/serve',
  'docs/examples',
  'durability/kill',
  'images/life-and-death',
  'packages/package',
  'packages/proxies',
  'torture/rounds',
  'uploads/kill',
  // Reads the log of its process.
  'security/secrets-in-logs',
  // A browser at work for minutes.
  'browser/console-pages',
  'browser/inert-attachments',
];

const FILES_MAX = 14;
// Of the files that take longest.
const LONG_FILES_MAX = 4;
// Of the files whose tests wait for commands or a browser: a process of tests has ten minutes.
const WAITING_FILES_MAX = 8;
const WAITING = ['browser', 'cli'];

// What takes longest comes first: begun last, it would run on alone. The others follow by name.
export const LONG = [
  'browser/console-pages',
  'notifications/restart',
  'quotas/killed',
  'browser/inert-attachments',
  'cli/serve',
  'docs/examples',
  'packages/package',
  'activity-log/large',
  'images/life-and-death',
  'uploads/kill',
  'durability/kill',
  'security/secrets-in-logs',
  'security/enumeration-by-time',
  'store/blobs-memory',
  'embedded/places',
  'search/differential',
  'operator/migrations',
  'operator/publish-traffic',
  'lists/explain',
  'store/blobs-s3',
  'lists/walking',
  'attachments/doctor',
  'security/oracles-on-hidden-records',
  'cli/operator-commands',
  'durability/database-away',
  'durability/uploads',
  'durability/activity',
  'durability/half-open',
  'notifications/retries',
  'people/table',
  'activity-log/every-operation',
  'attachments/storage-away',
  'security/routes-that-let-in',
  'uploads/resume',
  'uploads/client',
  'operator/publish-online',
  'records/concurrency',
  'attachments/connections',
];

/** @param {string} file such as `test/records/unique.test.js` */
const folderOf = (file) => file.split('/')[1] ?? '';

/** @param {string} file */
const rankOf = (file) => {
  const place = LONG.findIndex((name) => file === `test/${name}.test.js`);
  return place === -1 ? LONG.length : place;
};

/** @param {string} file */
const isAlone = (file) => UNSOCIABLE.includes(folderOf(file)) || ALONE.some((name) => file === `test/${name}.test.js`);

/** Files share a process with those of the same kind only. @param {string} file */
const kindOf = (file) =>
  rankOf(file) < LONG.length ? 'long' : WAITING.includes(folderOf(file)) ? folderOf(file) : 'short';

/** @param {string} kind */
const filesMax = (kind) => (kind === 'short' ? FILES_MAX : kind === 'long' ? LONG_FILES_MAX : WAITING_FILES_MAX);

/**
 * The files of each process, in the order in which they are started.
 * @param {readonly string[]} files compiled test files, as `testFiles` gives them
 * @returns {string[][]}
 */
export function inProcesses(files) {
  /** @type {string[][]} */
  const processes = [];
  for (const file of [...files].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))) {
    const last = processes.at(-1);
    const first = last?.[0];
    const joins =
      last !== undefined &&
      first !== undefined &&
      last.length < filesMax(kindOf(file)) &&
      !isAlone(file) &&
      !isAlone(first) &&
      kindOf(file) === kindOf(first);
    if (joins) last.push(file);
    else processes.push([file]);
  }
  return processes;
}

/**
 * Writes what the runner is given.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
export async function writeEntries(root, files, folder) {
  await mkdir(folder, { recursive: true });
  const entries = inProcesses(files).map((members, index) => {
    const words = (members[0] ?? '').split('/').slice(1).join('-');
    return {
      path: join(folder, `${String(index).padStart(3, '0')}-${words.replace('.test.js', '')}.test.mjs`),
      members,
    };
  });
  const leftOpen = pathToFileURL(join(root, 'dist/test/support/left-open.js')).href;
  // After the hooks of the files themselves.
  const closing = `import { after } from 'node:test';
import { closeLeftOpen } from ${JSON.stringify(leftOpen)};
after(closeLeftOpen);
`;
  for (const { path, members } of entries) {
    const urls = members.map((file) => pathToFileURL(join(root, 'dist', file)).href);
    // All of them before the first test begins: where the tests of one file are over before those of the next are known,
    // the runner takes the process for finished.
    const imports = urls.map((url) => `import ${JSON.stringify(url)};\n`);
    await writeFile(path, `${imports.join('')}${closing}`);
  }
  return entries.map(({ path }) => path);
}
