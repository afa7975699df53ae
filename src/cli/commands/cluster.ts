// `cartulary cluster …`: the workers of a Citus cluster and the applications on them. These commands speak to the coordinator
// itself (DATABASE_URL), so that they work while no server runs.

import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../faults.ts';
import { readConfig } from '../../settings/settings.ts';
import { getApplication } from '../../store/applications/applications.ts';
import { lockPublishing, PUBLISH_LOCK_MS, tryLockPublishing } from '../../store/applications/publish-state.ts';
import {
  addWorker,
  moveSchema,
  readMoveProgress,
  readRebalancing,
  startRebalancing,
} from '../../store/cluster/moves.ts';
import {
  askWorkers,
  listWorkers,
  locateSchemas,
  probeWorkers,
  readWorkerSize,
  type Worker,
  type WorkerSize,
} from '../../store/cluster/workers.ts';
import { Database } from '../../store/database/database.ts';
import { detectEngine } from '../../store/database/engine.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { schemaOf } from '../../store/database/schemas.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { countOf, inColumns } from './columns.ts';
import { type CommandRow, JSON_OPTION, localCommand, type Printing, printJson } from './row.ts';
import { statusLine } from './status-line.ts';

const CONNECTIONS = 4;
const PROGRESS_MS = 1_000;
const LINE_MS = 10_000;

const DETAILS = `Speaks to the coordinator that DATABASE_URL names, which needs no running server. Applications are read and written
meanwhile. docs/scaling.md says more.`;

async function withCluster(environment: NodeJS.ProcessEnv, work: (database: Database) => Promise<void>): Promise<void> {
  const { DATABASE_URL: connectionString } = readConfig(environment);
  if (connectionString === undefined) throw usageFailure('Set DATABASE_URL to the coordinator of the cluster.');
  const database = Database.open({
    connection: { connectionString },
    connectionsMax: CONNECTIONS,
    onConnectionError: () => undefined,
  });
  try {
    const { engine } = await detectEngine(database.system);
    if (engine !== 'citus') throw new CommandFailure('The database is plain PostgreSQL, which has no workers.');
    database.engine = engine;
    await work(database);
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNAVAILABLE')
      throw new CommandFailure(`The cluster cannot do that now: ${reasonOf(error)}`, { exit: 'unavailable' });
    throw error;
  } finally {
    await database.close();
  }
}

const reasonOf = ({ cause }: Fault): string => (cause instanceof Error ? cause.message : 'it does not respond');

/** Citus refuses with sentences of its own. */
async function orRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && 'severity' in error) throw new CommandFailure(`Citus refused: ${error.message}`);
    throw error;
  }
}

/** Of the few connections of a command. */
const SIZES_AT_ONCE = 2;

/** Each is asked by itself: the size of one that hangs stays unknown, and those of the others do not. */
async function sizesOf({ system }: Database, workers: readonly Worker[]): Promise<Map<number, WorkerSize>> {
  const sizes = new Map<number, WorkerSize>();
  await askWorkers(workers, SIZES_AT_ONCE, async (worker) => {
    const size = await readWorkerSize(system, worker).catch(() => undefined);
    if (size !== undefined) sizes.set(worker.id, size);
  });
  return sizes;
}

async function showStatus(database: Database, { json }: Printing): Promise<void> {
  const { system } = database;
  const [workers, located] = await Promise.all([probeWorkers(system), locateSchemas(system)]);
  const reached = workers.filter(({ reachable }) => reachable);
  const sizes = await sizesOf(database, reached);
  const rows = workers.map(({ id, address, reachable }) => {
    const applications = [...located.values()].filter((holder) => holder.id === id).length;
    return { worker: address, reachable, applications, bytes: sizes.get(id)?.bytes ?? null };
  });
  if (json) {
    printJson(rows);
    return;
  }
  const cells = rows.map(({ worker, reachable, applications, bytes }) => [
    worker,
    reachable ? 'yes' : 'no',
    String(applications),
    bytes === null ? 'unknown' : `${Math.round(bytes / 2 ** 20)} MB`,
  ]);
  const headings = ['Worker', 'Reachable', 'Applications', 'Size'];
  for (const line of inColumns([headings, ...cells], { numbers: ['Applications', 'Size'] })) console.log(line);
}

async function move(database: Database, applicationId: string, target: string): Promise<void> {
  const { system } = database;
  const worker = (await listWorkers(system)).find(({ address }) => address === target);
  if (worker === undefined) throw new CommandFailure(`The cluster has no worker ${target}.`, { exit: 'notFound' });
  if ((await getApplication(system, applicationId)) === undefined)
    throw new CommandFailure(`There is no application ${applicationId}.`, { exit: 'notFound' });
  const schema = schemaOf(applicationId);
  if ((await locateSchemas(system, [schema])).get(schema)?.id === worker.id) {
    console.log(`Application ${applicationId} is on ${target} already.`);
    return;
  }
  const moving = database.publisher(applicationId, async (publisher) => {
    await lockForMove(publisher, applicationId);
    await moveSchema(publisher, schema, worker);
  });
  await Promise.all([orRefused(moving), showMove(system, moving)]);
  console.log(`Application ${applicationId} is on ${target}.`);
}

async function lockForMove(publisher: Publisher, applicationId: string): Promise<void> {
  if (await tryLockPublishing(publisher, applicationId)) return;
  console.log('The application is being published, moved or removed. The move begins after that.');
  try {
    await lockPublishing(publisher, applicationId);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const minutes = PUBLISH_LOCK_MS / 60_000;
    throw new CommandFailure(`The application was still in use by that after ${minutes} minutes. Try again later.`, {
      exit: 'unavailable',
    });
  }
}

/** Until `moving` settles. */
async function showMove(system: Database['system'], moving: Promise<unknown>): Promise<void> {
  const shown = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  let isMoving = true;
  const end = () => {
    isMoving = false;
  };
  moving.then(end, end);
  while (isMoving) {
    const progress = await readMoveProgress(system).catch(() => undefined);
    if (progress !== undefined) {
      const percent = Math.round((100 * progress.copiedBytes) / Math.max(1, progress.totalBytes));
      shown.show(`${percent} % copied (${progress.step})`);
    }
    await Promise.race([moving.catch(() => undefined), pause(PROGRESS_MS)]);
  }
  shown.clear();
}

async function rebalance({ system }: Database): Promise<void> {
  let job: number | undefined;
  await orRefused(
    startRebalancing(system).then((started) => {
      job = started;
    }),
  );
  if (job === undefined) {
    console.log('The applications are spread evenly already.');
    return;
  }
  const shown = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  for (;;) {
    const { state, done, total } = await readRebalancing(system, job);
    if (state === 'finished') break;
    if (['failed', 'cancelled'].includes(state))
      throw new CommandFailure(
        `The rebalancing is ${state}. On the coordinator, citus_rebalance_status() has the reason.`,
      );
    shown.show(`${done} of ${countOf(total, 'move')} done`);
    await pause(PROGRESS_MS);
  }
  shown.clear();
  console.log('The applications are spread evenly.');
}

function readAddress(text: string): Pick<Worker, 'host' | 'port'> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined) throw usageFailure(`A worker is given as host:port, and ${text} is not.`);
  return { host, port: Number(port) };
}

export const CLUSTER_COMMANDS: readonly CommandRow[] = [
  localCommand<Printing>({
    usage: 'cluster status',
    summary: 'show the workers of the cluster, and how much each holds',
    options: [JSON_OPTION],
    details: DETAILS,
    examples: ['cluster status'],
    run: ({ options, environment }) => withCluster(environment, (database) => showStatus(database, options)),
  }),
  localCommand({
    usage: 'cluster move <applicationId> <worker>',
    summary: 'move an application to another worker, given as host:port',
    details: DETAILS,
    examples: ['cluster move p06gud6b6q1rk910sprpa5n7fsk worker-2:5432'],
    run: ({ args: [applicationId = '', worker = ''], environment }) =>
      withCluster(environment, (database) => move(database, applicationId, worker)),
  }),
  localCommand({
    usage: 'cluster rebalance',
    summary: 'spread the applications over the workers by their size',
    details: DETAILS,
    examples: ['cluster rebalance'],
    run: ({ environment }) => withCluster(environment, rebalance),
  }),
  localCommand({
    usage: 'cluster add-node <worker>',
    summary: 'add a worker, given as host:port',
    details: `Its PostgreSQL must have loaded Citus, and have a database of the same name with the extension. ${DETAILS}`,
    examples: ['cluster add-node worker-3:5432'],
    run: ({ args: [worker = ''], environment }) =>
      withCluster(environment, async ({ system }) => {
        await orRefused(addWorker(system, readAddress(worker)));
        console.log(
          `The cluster has the worker ${worker}. New applications are placed there too; \`cluster rebalance\` moves some.`,
        );
      }),
  }),
];
