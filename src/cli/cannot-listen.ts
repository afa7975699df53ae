// The failure to listen somewhere. It says which of the server's addresses it was: the system's error does not name the port
// when a host is unknown, and two addresses may have the same port.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { CommandFailure } from './failure.ts';

export type ListenerName = 'interface' | 'metrics';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export class CannotListen extends Error {
  override readonly name = 'CannotListen';
  readonly listener: ListenerName;
  readonly address: ListenAddress;

  constructor(listener: ListenerName, { host, port }: ListenAddress, cause: unknown) {
    super(`${listener} cannot listen on ${host}:${port}`, { cause });
    this.listener = listener;
    this.address = { host, port };
  }
}

export async function orCannotListen<T>(
  listener: ListenerName,
  address: ListenAddress,
  listening: Promise<T>,
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    throw new CannotListen(listener, address, error);
  }
}

/** Prefix of the settings of each listener. */
const LISTENER_SETTINGS: Readonly<Record<ListenerName, string>> = {
  interface: 'CARTULARY',
  metrics: 'CARTULARY_METRICS',
};

export function listenFailure({ listener, address, cause }: CannotListen): CommandFailure {
  const { code = (cause as Error).message } = cause as NodeJS.ErrnoException;
  const place = `${address.host}:${address.port}`;
  const setting = LISTENER_SETTINGS[listener];
  const message =
    code === 'EADDRINUSE'
      ? `Port ${address.port} is in use: another program listens on ${place}. Set ${setting}_PORT to use another port.`
      : `Cannot listen on ${place} (${code}). Set ${setting}_HOST and ${setting}_PORT to an address of this machine.`;
  return new CommandFailure(message, { cause });
}

/**
 * Throws if a port is taken, by listening on it for a moment: before the database is started, which may take long. The
 * server finds out a second time when it listens to stay.
 */
export async function requireFreePort(listener: ListenerName, address: ListenAddress): Promise<void> {
  const trial = createServer((socket) => socket.destroy());
  try {
    trial.listen({ ...address, exclusive: true });
    await once(trial, 'listening');
  } catch (error) {
    throw listenFailure(new CannotListen(listener, address, error));
  }
  trial.close();
  await once(trial, 'close');
}
