// @ts-check
// `npm run bench`: a server with a database of its own, one scenario on it, and its result as a table. Everything listens
// on the loopback interface only, and what was started is ended.

import { closeSync, openSync, writeFileSync } from 'node:fs';
import { requireCitus } from '../scripts/citus.mjs';
import { Failure, interruption } from '../scripts/processes.mjs';
import { runActivityLog } from './activity-log.mjs';
import { ATTACHMENT_PARTS, runAttachments } from './attachments.mjs';
import { describeRun, provenanceOf } from './description.mjs';
import { writeTables } from './document.mjs';
import { makeFolder, onGround } from './ground.mjs';
import { OPERATIONS } from './operations.mjs';
import { readOptions } from './options.mjs';
import { allowConnections } from './peers/database.mjs';
import { runApplications } from './scenario-applications.mjs';
import { runBackup } from './scenario-backup.mjs';
import { runCluster } from './scenario-cluster.mjs';
import { runClusterLosses } from './scenario-cluster-losses.mjs';
import { runCompression } from './scenario-compression.mjs';
import { runConsole } from './scenario-console.mjs';
import { runFairness } from './scenario-fairness.mjs';
import { runGrowth } from './scenario-growth.mjs';
import { runImport } from './scenario-import.mjs';
import { runLimit } from './scenario-limit.mjs';
import { ATTACK_NAMES, runNeighbours } from './scenario-neighbours.mjs';
import { runPeers } from './scenario-peers.mjs';
import { checkProfile, runProfile } from './scenario-profile.mjs';
import { runPublish } from './scenario-publish.mjs';
import { runRoad } from './scenario-road.mjs';
import { PICTURED, runScreenshots } from './scenario-screenshots.mjs';
import { loadStatistics } from './statistics.mjs';

/** @type {Record<string, (ground: import('./application.mjs').Ground, options: import('./options.mjs').Options) => Promise<{ text: string, results: object[] }>>} */
const SCENARIOS = {
  ...{
    limit: runLimit,
    profile: runProfile,
    road: runRoad,
    growth: runGrowth,
    publish: runPublish,
    attachments: runAttachments,
  },
  'activity-log': runActivityLog,
  applications: runApplications,
  cluster: runCluster,
  'cluster-losses': runClusterLosses,
  compression: runCompression,
  console: runConsole,
  import: runImport,
  backup: runBackup,
  fairness: runFairness,
  neighbours: runNeighbours,
  peers: runPeers,
  screenshots: runScreenshots,
};
/** What some want to know before a server is started for them. @type {Record<string, (options: import('./options.mjs').Options) => void | Promise<void>>} */
const CHECKS = { profile: checkProfile, cluster: requireCitus, 'cluster-losses': requireCitus };
/** Those that profile moments, and not the whole life of the server. */
const PROFILING = ['profile', 'road'];
/** What some want of the database. @type {Record<string, import('./ground.mjs').SetDatabase>} */
const DATABASES = { profile: loadStatistics, road: loadStatistics, peers: allowConnections };
/** Those with a place in docs/performance.md, or in a document of their own. */
const WRITTEN = ['limit', 'growth', 'peers', 'applications', 'cluster', 'cluster-losses', 'console'];
const DOCUMENTS = new Map([
  ['cluster', 'scaling.md'],
  ['cluster-losses', 'scaling.md'],
  ['console', 'console.md'],
]);
const PUBLISH_STEPS = ['sortable', 'searchable', 'unique'];

/** The place in the document that the results go to. @param {import('./options.mjs').Options} options @returns {string | undefined} none */
function sectionOf({ scenario, write, against, againstNode, againstWorkers }) {
  if (!write || !WRITTEN.includes(scenario)) return undefined;
  if (against !== undefined)
    throw new Failure('What is compared with another commit does not go into the documentation.');
  if (againstNode !== undefined) return 'limit --against-node';
  return againstWorkers === undefined ? scenario : 'limit --against-workers';
}

/** A run may take an hour. @param {string} file */
function checkWritable(file) {
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new Failure(`The results cannot be written to ${file}: ${/** @type {Error} */ (error).message}.`);
  }
}

/** @param {readonly string[]} args */
export async function runBench(args) {
  const operations = {
    'limit, profile, road, growth, peers': OPERATIONS.map(({ name }) => name),
    publish: PUBLISH_STEPS,
    attachments: ATTACHMENT_PARTS,
    neighbours: ATTACK_NAMES,
    screenshots: PICTURED,
  };
  const options = readOptions(args, { scenarios: Object.keys(SCENARIOS), operations });
  const scenario = SCENARIOS[options?.scenario ?? ''];
  if (options === undefined || scenario === undefined) return;
  const section = sectionOf(options);
  if (options.json !== undefined) checkWritable(options.json);
  await CHECKS[options.scenario]?.(options);
  const { folder, remove } = makeFolder(options.keep);
  try {
    const { logLevel, workers } = options;
    const profiler = PROFILING.includes(options.scenario);
    const profile = profiler ? undefined : options.profile;
    const server = { logLevel, workers, profile, profiler, setDatabase: DATABASES[options.scenario] };
    const { text, ...rest } = await onGround(folder, server, (ground) => scenario(ground, options));
    const head = describeRun(options);
    process.stdout.write(`${head}\n${text}\n`);
    if (section !== undefined) {
      const document = DOCUMENTS.get(options.scenario) ?? 'performance.md';
      writeTables(document, `bench -- ${section}`, `${await provenanceOf(options)}\n\n${text}`);
    }
    if (options.json !== undefined) {
      writeFileSync(options.json, `${JSON.stringify({ head, options, ...rest }, null, 2)}\n`);
    }
  } catch (error) {
    // What failed because of the end that was asked for is of no interest.
    throw interruption.aborted ? interruption.reason : error;
  } finally {
    remove();
  }
}
