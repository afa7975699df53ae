// @ts-check
// Which test files run in which process, and in which order. Node's runner starts a process for each file that it is
// given and takes them by name, so it is given small files, numbered, that import the real ones.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Loading the server takes longer than the tests of most of these files. They leave nothing behind in their process: no
// signal, no folder, no setting, no measure of memory, no child that they kill.
const SOCIABLE = [
  'activity-log',
  'attachments',
  'docs',
  'domain',
  'gate',
  'http',
  'inside',
  'jobs',
  'lists',
  'nodes',
  'notifications',
  'operator',
  'overload',
  'people',
  'quotas',
  'records',
  'search',
  'sessions',
  'single-sign-on',
  'tidy',
  'uploads',
];
const FILES_MAX = 10;

// What takes longest comes first: begun last, it would run on alone. The others follow by name.
export const LONG = [
  // Starts and kills servers.
  'notifications/restart',
  'quotas/killed',
  'browser/inert-attachments',
  'cli/serve',
  'docs/examples',
  'browser/console',
  // Measures the memory of its process.
  'activity-log/large',
  'search/differential',
  'operator/migrations',
  'operator/publish-traffic',
  'lists/explain',
  'store/blobs-s3',
  'lists/walking',
  'attachments/doctor',
  'lists/hidden',
  'cli/operator-commands',
  'durability/database-away',
  'durability/uploads',
  'durability/kill',
  'durability/activity',
  'durability/half-open',
  'notifications/retries',
  // Starts a server of its own, to read its log.
  'monitoring/logs',
  'people/table',
  'gate/timing',
  'activity-log/every-operation',
  'images/life-and-death',
  'uploads/kill',
  'attachments/storage-away',
  'embedded/places',
  'http/matrix',
  'uploads/resume',
  'uploads/client',
  'store/blobs-memory',
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
    const joins =
      last !== undefined &&
      last.length < FILES_MAX &&
      SOCIABLE.includes(folderOf(file)) &&
      [file, last[0] ?? ''].every((one) => rankOf(one) === LONG.length) &&
      folderOf(last[0] ?? '') === folderOf(file);
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
