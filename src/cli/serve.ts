// `cartulary serve`: settings, database, server, and an orderly end.

import { resolve } from 'node:path';
import type { Config, SettingName } from '../config.ts';
import { type EmbeddedPostgres, startEmbedded } from '../embedded/start.ts';
import { Fault } from '../faults.ts';
import { type Observe, observeToLog } from '../observe.ts';
import { KeyFileError, readApnsAccount, readFcmAccount } from '../push/key-files.ts';
import type { PushSettings } from '../push/push.ts';
import { UnusableStore } from '../store/blobs.ts';
import type { AttachmentsPlace } from '../store/blobs-open.ts';
import { UnsupportedDatabase } from '../store/engine.ts';
import { type RunningServer, type ServerOptions, startServer } from './assemble.ts';
import { demonstrate } from './demonstration.ts';
import { CommandFailure } from './failure.ts';
import { ensureOperatorKey } from './operator-key.ts';

const DATABASE_WAIT_MS = 1_000;
const IMPATIENCE_MS = 2_000;
const LEFTOVERS_MS = 1_000;
/** What the making of the demonstration consists of, of which people are told otherwise. */
const ORDINARY: ReadonlySet<string> = new Set(['application.publishing', 'application.published', 'request']);

export async function serve(config: Config, options: { demo: boolean }): Promise<void> {
  const note = (line: string) => console.error(line);
  const log = observeToLog(config.CARTULARY_LOG_LEVEL);
  let ready = false;
  // Until it is ready, notes for people tell what happens.
  const observe: Observe = (observation) => {
    const ordinary = ORDINARY.has(observation.event);
    if (ready || !ordinary) log(observation);
  };
  const ending = whenAskedToEnd();
  const operatorKey = await ensureOperatorKey(config.CARTULARY_OPERATOR_KEY, config.CARTULARY_DATA);
  const embedded = config.DATABASE_URL === undefined ? await startDatabase(config, observe, note) : undefined;
  let server: RunningServer | undefined;
  try {
    server = await startPatiently(serverOptions(config, embedded, operatorKey, observe), ending, note);
    if (server === undefined) return;
    if (options.demo) await demonstrate(server, { operatorKey, dataFolder: config.CARTULARY_DATA, note });
    ready = true;
    console.log(`Cartulary is ready at ${server.address}/v1`);
    observe({ event: 'server.stopping', signal: await ending.signal });
  } finally {
    await server?.close();
    await embedded?.stop();
    // What could not be closed in time does not keep the process; what can be leaves nothing that this waits for.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

function serverOptions(
  config: Config,
  embedded: EmbeddedPostgres | undefined,
  operatorKey: string,
  observe: Observe,
): ServerOptions {
  return {
    connection: embedded?.connection ?? { connectionString: config.DATABASE_URL ?? '' },
    connectionsMax: config.CARTULARY_DATABASE_CONNECTIONS,
    host: config.CARTULARY_HOST,
    port: config.CARTULARY_PORT,
    publicUrl: config.CARTULARY_PUBLIC_URL,
    operatorKey,
    authFailures: { account: config.CARTULARY_AUTH_FAILURES_ACCOUNT, address: config.CARTULARY_AUTH_FAILURES_ADDRESS },
    mail: mailSettings(config),
    trustedProxies: config.CARTULARY_TRUSTED_PROXIES,
    attachments: attachmentsPlace(config),
    spoolFolder: resolve(config.CARTULARY_DATA),
    unheldDays: config.CARTULARY_UNHELD_ATTACHMENT_DAYS,
    announcedDays: config.CARTULARY_ANNOUNCED_UPLOAD_DAYS,
    activityLogDays: config.CARTULARY_ACTIVITY_LOG_DAYS,
    push: pushSettings(config),
    observe,
  };
}

/** Who has said nothing is reached by nobody; services look at its form alone (RFC 8292 section 2.1). */
const NO_SUBJECT = 'mailto:nobody@example.com';

function pushSettings(config: Config): PushSettings {
  const { CARTULARY_PUBLIC_URL: publicUrl, CARTULARY_PUSH_SUBJECT: subject } = config;
  const { CARTULARY_FCM: fcm, CARTULARY_APNS: apns } = config;
  return {
    services: config.CARTULARY_PUSH_SERVICES,
    subject: subject ?? (publicUrl?.startsWith('https:') ? publicUrl : NO_SUBJECT),
    ...(fcm === undefined ? {} : { fcm: keyFile('CARTULARY_FCM', () => readFcmAccount(fcm)) }),
    ...(apns === undefined ? {} : { apns: keyFile('CARTULARY_APNS', () => readApnsAccount(apns)) }),
  };
}

function keyFile<T>(setting: SettingName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new CommandFailure(`The file of ${setting} ${error.message}.`, { cause: error });
  }
}

const mailSettings = ({ CARTULARY_SMTP_URL: url, CARTULARY_MAIL_FROM: from }: Config): ServerOptions['mail'] =>
  url === undefined || from === undefined ? undefined : { url, from };

export const attachmentsPlace = ({ CARTULARY_ATTACHMENTS: place, CARTULARY_DATA: data }: Config): AttachmentsPlace =>
  place ?? { kind: 'disk', folder: resolve(data, 'attachments') };

async function startDatabase(
  config: Config,
  observe: Observe,
  note: (line: string) => void,
): Promise<EmbeddedPostgres> {
  try {
    return await startEmbedded({
      folder: resolve(config.CARTULARY_DATA),
      note,
      onRestart: (reason) => observe({ event: 'database.restarted', reason }),
    });
  } catch (error) {
    throw new CommandFailure((error as Error).message, { cause: error });
  }
}

interface Ending {
  readonly signal: Promise<string>;
  asked: boolean;
}

function whenAskedToEnd(): Ending {
  const ending = { asked: false, signal: Promise.resolve('') };
  ending.signal = new Promise((done) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      // A terminal tells the whole group, and npm passes it on: the same wish arrives twice. Later it means impatience.
      process.on(signal, () => {
        askedAt ??= performance.now();
        if (performance.now() - askedAt > IMPATIENCE_MS) process.exit(130);
        ending.asked = true;
        done(signal);
      });
    }
  });
  return ending;
}

/** The order in which servers start does not matter: one that is ahead of its database waits for it. */
async function startPatiently(
  options: ServerOptions,
  ending: Ending,
  note: (line: string) => void,
): Promise<RunningServer | undefined> {
  for (let told = false; !ending.asked; told = true) {
    try {
      return await startServer(options);
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'UNAVAILABLE')) throw plainly(error, options);
      if (!told) note('The database does not answer; waiting for it …');
      await Promise.race([ending.signal, new Promise((done) => setTimeout(done, DATABASE_WAIT_MS))]);
    }
  }
  return undefined;
}

function plainly(error: unknown, { host, port }: ServerOptions): unknown {
  if (error instanceof UnusableStore) return new CommandFailure(error.message, { cause: error });
  const code = (error as NodeJS.ErrnoException).code;
  const place = `${host}:${port}`;
  if (code === 'EADDRINUSE') {
    return new CommandFailure(
      `Port ${port} is in use: another server listens on ${place}. Set CARTULARY_PORT to use another port.`,
    );
  }
  if (code !== undefined && ['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    return new CommandFailure(
      `Cannot listen on ${place} (${code}). Set CARTULARY_HOST and CARTULARY_PORT to what this machine allows.`,
    );
  }
  if (code === '42501') {
    return new CommandFailure(
      `The database refused: ${(error as Error).message}. The role needs the right to create schemas: grant create on database … to …`,
    );
  }
  // The database answered and refused: wrong password, unknown database, too old.
  if (code?.startsWith('28') || code === '3D000' || error instanceof UnsupportedDatabase) {
    return new CommandFailure(`The database refused: ${(error as Error).message}`);
  }
  return error;
}
