// `cartulary serve`: settings, database, server, and an orderly end.

import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbedded } from '../embedded/start.ts';
import { type Observe, observeToLog } from '../observe/events.ts';
import type { Config } from '../settings/settings.ts';
import type { RunningServer } from './assemble.ts';
import { demonstrate } from './demonstration.ts';
import { endingBy, whenAskedToEnd } from './ending.ts';
import { CommandFailure } from './failure.ts';
import { ensureOperatorKey } from './operator-key.ts';
import { startPatiently, type Waiting } from './patient-start.ts';
import { writeServerFile } from './server-file.ts';
import { serverOptions } from './server-options.ts';
import { WorkerChannel } from './worker.ts';
import { type Addresses, type Orders, Workers } from './workers.ts';

/** Whoever looks later sees for what it still waits. */
const WAITING_AGAIN_MS = 30_000;
const LEFTOVERS_MS = 1_000;
/** Of each process besides those for requests: to publish, and to listen. */
const OTHER_CONNECTIONS = 5;
/** For whoever looks into the database beside the server. */
const SPARE_CONNECTIONS = 13;
/** What the making of the demonstration consists of, of which people are told otherwise. */
const ORDINARY: ReadonlySet<string> = new Set(['application.publishing', 'application.published', 'request']);

/** What serves: this process, or its workers. */
interface Serving extends Addresses {
  /** Called when what was to be done before is done, and people are told that it is ready. */
  ready(): void;
  leave(): void;
  close(): Promise<void>;
}

export async function serve(config: Config, options: { demo: boolean }): Promise<void> {
  if (cluster.isWorker) {
    await serveAsWorker(config);
    return;
  }
  const note = (line: string) => console.error(line);
  const { observe, ready } = observeWhenReady(config);
  const ending = whenAskedToEnd();
  const operatorKey = await ensureOperatorKey(config.CARTULARY_OPERATOR_KEY, config.CARTULARY_DATA);
  const embedded = config.DATABASE_URL === undefined ? await startDatabase(config, observe, note) : undefined;
  const connection = embedded?.connection ?? { connectionString: config.DATABASE_URL ?? '' };
  const orders = { connection, operatorKey };
  const starting = { orders, ending, observe, onWaiting: waitingNotes(note) };
  let server: Serving | undefined;
  let forget: (() => Promise<void>) | undefined;
  try {
    server = config.CARTULARY_WORKERS > 1 ? await startWorkers(config, starting) : await startHere(config, starting);
    if (server === undefined) return;
    const { address, metricsAddress } = server;
    const dataFolder = config.CARTULARY_DATA;
    if (options.demo) await demonstrate(address, { connection, operatorKey, dataFolder, note });
    ready();
    server.ready();
    forget = await writeServerFile(dataFolder, address);
    if (metricsAddress !== undefined) console.log(`Figures without a key are at ${metricsAddress}/metrics`);
    console.log(`Cartulary is ready at ${address}/v1`);
    observe({ event: 'server.stopping', signal: await ending.signal });
    server.leave();
    const drainSeconds = config.CARTULARY_DRAIN_SECONDS;
    const rest = drainSeconds > 0 ? `; serving for ${drainSeconds} s more. Ctrl-C again ends at once` : '';
    note(`Stopping${rest}.`);
    await pause(drainSeconds * 1000);
  } finally {
    await forget?.();
    await server?.close();
    await embedded?.stop();
    // What could not be closed in time does not keep the process; what can be leaves nothing that this waits for.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

/** Until it is ready, notes for people tell what happens. */
function observeWhenReady(config: Config): { observe: Observe; ready: () => void } {
  const log = observeToLog(config.CARTULARY_LOG_LEVEL);
  let isReady = false;
  return {
    observe: (observation) => {
      if (isReady || !ORDINARY.has(observation.event)) log(observation);
    },
    ready: () => {
      isReady = true;
    },
  };
}

interface Starting extends Waiting {
  readonly orders: Orders;
  readonly observe: Observe;
}

/** Of what several processes say again and again, people are told what is new, and from time to time that it goes on. */
function waitingNotes(note: (line: string) => void): Starting['onWaiting'] {
  const told = new Map<string, number>();
  return (what) => {
    const now = performance.now();
    if (now - (told.get(what) ?? Number.NEGATIVE_INFINITY) < WAITING_AGAIN_MS) return;
    told.set(what, now);
    note(`Waiting for the database: ${what}.`);
  };
}

async function startHere(config: Config, starting: Starting): Promise<Serving | undefined> {
  const server = await startPatiently(serverOptions(config, starting.orders, starting.observe), starting);
  if (server === undefined) return undefined;
  const { address, metricsAddress, leave, close } = server;
  return { address, metricsAddress, ready: () => undefined, leave, close };
}

async function startWorkers(config: Config, { orders, ending, ...rest }: Starting): Promise<Serving | undefined> {
  const workers = new Workers({ count: config.CARTULARY_WORKERS, orders, ...rest });
  const serving = {
    ready: () => workers.ready(),
    leave: () => workers.leave(),
    close: () => workers.close(),
  };
  try {
    const addresses = await Promise.race([workers.addresses, ending.signal.then(() => undefined)]);
    if (addresses !== undefined) return { ...addresses, ...serving };
  } catch (error) {
    await workers.close();
    throw error;
  }
  await workers.close();
  return undefined;
}

/** One of the workers: signals, the embedded database and notes for people are the first process's. */
async function serveAsWorker(config: Config): Promise<void> {
  const channel = new WorkerChannel();
  const { observe, ready } = observeWhenReady(config);
  channel.onReady = ready;
  const ending = endingBy((end) => {
    channel.onClose = () => end('close');
  });
  const onWaiting = (what: string) => channel.tell({ kind: 'waiting', what });
  let server: RunningServer | undefined;
  try {
    const options = { ...serverOptions(config, await channel.orders, observe), peers: channel };
    server = await startPatiently(options, { ending, onWaiting });
    if (server !== undefined) {
      channel.onLeave = server.leave;
      channel.tell({ kind: 'listening', address: server.address, metricsAddress: server.metricsAddress });
      await ending.signal;
    }
  } catch (error) {
    const { message, stack = message } = error as Error;
    channel.tell({ kind: 'failed', message: error instanceof CommandFailure ? message : stack });
  } finally {
    await server?.close();
    process.disconnect();
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

async function startDatabase(
  config: Config,
  observe: Observe,
  note: (line: string) => void,
): Promise<EmbeddedPostgres> {
  try {
    return await startEmbedded({
      folder: resolve(config.CARTULARY_DATA),
      connectionsMax:
        config.CARTULARY_WORKERS * (config.CARTULARY_DATABASE_CONNECTIONS + OTHER_CONNECTIONS) + SPARE_CONNECTIONS,
      note,
      onRestart: (reason) => observe({ event: 'database.restarted', reason }),
    });
  } catch (error) {
    throw new CommandFailure((error as Error).message, { cause: error });
  }
}
