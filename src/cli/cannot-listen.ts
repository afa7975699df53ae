// The failure to listen somewhere. It says which of the server's addresses it was: the system's error does not name the port
// when a host is unknown, and two addresses may have the same port.

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
