// `cartulary serve`: reads the settings, starts the database and the server, and stops both in order.

import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbedded } from '../embedded/start.ts';
import { type Observe, observeToLog } from '../events/events.ts';
import { lowerOtherThreads } from '../load/priority.ts';
import type { Config } from '../settings/settings.ts';
import { requireFreePort } from './cannot-listen.ts';
import { demonstrate, homeIn } from './demonstration.ts';
import { CommandFailure } from './failure.ts';
import { ensureOperatorKey } from './operator-key.ts';
import { adviceAboutNode } from './runtime.ts';
import { writeServerFile } from './server-file.ts';
import { metricsEndpoint, type ServerOptions, serverOptions } from './server-options.ts';
import type { RunningServer } from './start-server.ts';
import { type Retrying, startWithRetry } from './start-with-retry.ts';
import { stopRequestFrom, stopRequestFromSignals } from './stop-request.ts';
import { WorkerChannel } from './worker.ts';
import { type Addresses, type Secrets, Workers } from './workers.ts';

/** The same reason for waiting is repeated after this time, for an operator who looks later. */
const WAITING_AGAIN_MS = 30_000;
const LEFTOVERS_MS = 1_000;
/** Connections of each process besides those for requests: to publish, and to listen for other nodes. */
const OTHER_CONNECTIONS = 5;
/** For operators and their tools. */
const SPARE_CONNECTIONS = 13;

/** The part that serves requests: this process, or its workers. */
interface Serving extends Addresses {
  leave(): void;
  close(): Promise<void>;
}

interface ServeOptions {
  readonly demo: boolean;
  readonly advise: boolean;
  /** The command that starts this server again. */
  readonly again: string;
}

export async function serve(config: Config, options: ServeOptions): Promise<void> {
  // With the demonstration, the terminal that shows its token stays calm.
  const observe = observeToLog(config.CARTULARY_LOG_LEVEL ?? (options.demo ? 'warn' : 'info'));
  const home = options.demo ? { home: homeIn(config.CARTULARY_DATA) } : {};
  if (cluster.isWorker) {
    await serveAsWorker(config, observe, home);
    return;
  }
  const print = (line: string) => console.error(line);
  const advice = options.advise ? adviceAboutNode(process.version, new Date()) : undefined;
  if (advice !== undefined) print(advice);
  const stopRequest = stopRequestFromSignals();
  await requireFreePorts(config);
  const operatorKey = await ensureOperatorKey(config.CARTULARY_OPERATOR_KEY, config.CARTULARY_DATA);
  const embedded = config.DATABASE_URL === undefined ? await startDatabase(config, observe, print) : undefined;
  const connection = embedded?.connection ?? { connectionString: config.DATABASE_URL ?? '' };
  const secrets = { connection, operatorKey };
  const starting = { secrets, stopRequest, observe, home, onWaiting: printReasons(print) };
  let server: Serving | undefined;
  let forget: (() => Promise<void>) | undefined;
  let stoppingAt: number | undefined;
  try {
    server = config.CARTULARY_WORKERS > 1 ? await startWorkers(config, starting) : await startHere(config, starting);
    if (server === undefined) return;
    const { address, metricsAddress } = server;
    const dataFolder = config.CARTULARY_DATA;
    const demonstration = options.demo
      ? await demonstrate(address, { connection, operatorKey, dataFolder, print, again: options.again })
      : undefined;
    forget = await writeServerFile(dataFolder, address);
    if (metricsAddress !== undefined) console.log(`Metrics without a key are at ${metricsAddress}/metrics`);
    console.log(`Cartulary is ready at ${address}/v1`);
    if (demonstration !== undefined) console.log(demonstration);
    const signal = await stopRequest.signal;
    stoppingAt = performance.now();
    observe({ event: 'server.stopping', signal });
    server.leave();
    const drainSeconds = config.CARTULARY_DRAIN_SECONDS;
    const rest = drainSeconds > 0 ? `; serving for another ${drainSeconds} s. Press Ctrl-C again to stop at once` : '';
    print(`Stopping${rest}.`);
    await pause(drainSeconds * 1000);
  } finally {
    await forget?.();
    await server?.close();
    await embedded?.stop();
    if (stoppingAt !== undefined) {
      observe({ event: 'server.stopped', milliseconds: Math.round(performance.now() - stoppingAt) });
    }
    // Ends the process even if something could not be closed; unref'd, so a clean stop does not wait for it.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

async function requireFreePorts(config: Config): Promise<void> {
  const { CARTULARY_HOST: host, CARTULARY_PORT: port } = config;
  const metrics = metricsEndpoint(config);
  if (port !== 0) await requireFreePort('interface', { host, port });
  if (metrics !== undefined && metrics.port !== 0) await requireFreePort('metrics', metrics);
}

interface Starting extends Retrying {
  readonly secrets: Secrets;
  readonly observe: Observe;
  readonly home: Pick<ServerOptions, 'home'>;
}

/** Several processes report repeatedly why they wait; each reason is printed once, and again from time to time. */
function printReasons(print: (line: string) => void): Starting['onWaiting'] {
  const printedAt = new Map<string, number>();
  return (reason) => {
    const now = performance.now();
    if (now - (printedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < WAITING_AGAIN_MS) return;
    printedAt.set(reason, now);
    print(`Waiting for the database: ${reason}.`);
  };
}

async function startHere(config: Config, starting: Starting): Promise<Serving | undefined> {
  const options = { ...serverOptions(config, starting.secrets, starting.observe), ...starting.home };
  const server = await startWithRetry(options, starting);
  if (server === undefined) return undefined;
  lowerOtherThreads();
  const { address, metricsAddress, leave, close } = server;
  return { address, metricsAddress, leave, close };
}

async function startWorkers(config: Config, { secrets, stopRequest, ...rest }: Starting): Promise<Serving | undefined> {
  const workers = new Workers({ count: config.CARTULARY_WORKERS, secrets, ...rest });
  const serving = {
    leave: () => workers.leave(),
    close: () => workers.close(),
  };
  try {
    const addresses = await Promise.race([workers.addresses, stopRequest.signal.then(() => undefined)]);
    if (addresses !== undefined) return { ...addresses, ...serving };
  } catch (error) {
    await workers.close();
    throw error;
  }
  await workers.close();
  return undefined;
}

/** Runs in a worker. The primary process handles signals, the embedded database and the console. */
async function serveAsWorker(config: Config, observe: Observe, home: Starting['home']): Promise<void> {
  const channel = new WorkerChannel();
  const stopRequest = stopRequestFrom((stop) => {
    channel.onClose = () => stop('close');
  });
  const onWaiting = (reason: string) => channel.send({ kind: 'waiting', reason });
  let server: RunningServer | undefined;
  try {
    const options = { ...serverOptions(config, await channel.secrets, observe), ...home, peers: channel };
    server = await startWithRetry(options, { stopRequest, onWaiting });
    if (server !== undefined) {
      lowerOtherThreads();
      channel.onLeave = server.leave;
      channel.send({ kind: 'listening', address: server.address, metricsAddress: server.metricsAddress });
      await stopRequest.signal;
    }
  } catch (error) {
    const { message, stack = message } = error as Error;
    channel.send({ kind: 'failed', message: error instanceof CommandFailure ? message : stack });
  } finally {
    await server?.close();
    process.disconnect();
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

async function startDatabase(
  config: Config,
  observe: Observe,
  print: (line: string) => void,
): Promise<EmbeddedPostgres> {
  try {
    return await startEmbedded({
      folder: resolve(config.CARTULARY_DATA),
      connectionsMax:
        config.CARTULARY_WORKERS * (config.CARTULARY_DATABASE_CONNECTIONS + OTHER_CONNECTIONS) + SPARE_CONNECTIONS,
      print,
      onRestart: (reason) => observe({ event: 'database.restarted', reason }),
    });
  } catch (error) {
    throw new CommandFailure((error as Error).message, { cause: error });
  }
}
