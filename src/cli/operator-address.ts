// Which server a command speaks to: the one that was named, or that of the data folder, and no other in its place. The key
// goes over plain HTTP only within this machine.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../settings/settings.ts';
import { CommandFailure } from './failure.ts';
import { namedServer } from './server-file.ts';

export interface AddressOptions {
  readonly url?: string;
  readonly insecure?: boolean;
}

export interface ServerAddress {
  /** Without a slash at the end. */
  readonly root: string;
  readonly origin: string;
  /** Whether the server has to be at the other end of the very connection: neither TLS nor the operator vouch for who is between. */
  readonly isDirect: boolean;
  /** What to do where nobody answers. */
  readonly advice: string;
}

const ELSEWHERE = 'Where it listens elsewhere, set CARTULARY_HOST and CARTULARY_PORT, or give --url.';

/** `keyIsKept`: whether the key is that of the data folder, and so of its server. */
export async function findServer(
  environment: NodeJS.ProcessEnv,
  config: Config,
  { url, insecure = false, keyIsKept }: AddressOptions & { readonly keyIsKept: boolean },
): Promise<ServerAddress> {
  const { address, advice } =
    url === undefined ? await unnamed(environment, config, keyIsKept) : { address: url, advice: ELSEWHERE };
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new CommandFailure(`${address} is not the address of a server; it should look like http://127.0.0.1:8080.`);
  }
  const { origin, protocol, hostname } = new URL(address);
  const isPlain = protocol === 'http:' && !insecure;
  if (isPlain && !(await isThisMachine(hostname))) {
    throw new CommandFailure(
      `${origin} is another machine, and over plain HTTP everybody between could read the operator key. Use https, or add --insecure where the network is yours alone.`,
    );
  }
  // The base address that the server prints will do as well.
  return { root: address.replace(/\/+$/, '').replace(/\/v1$/, ''), origin, isDirect: isPlain, advice };
}

async function unnamed(
  environment: NodeJS.ProcessEnv,
  { CARTULARY_HOST: host, CARTULARY_PORT: port, CARTULARY_DATA: data }: Config,
  keyIsKept: boolean,
): Promise<{ address: string; advice: string }> {
  // A server that picked a port by itself cannot be named by that setting.
  const isPlaced = environment.CARTULARY_HOST || Number(environment.CARTULARY_PORT) > 0;
  if (isPlaced) return { address: addressAt(host, port), advice: ELSEWHERE };
  const folder = resolve(data);
  const start = `Start it with CARTULARY_DATA=${folder}, or name another server by --url or by CARTULARY_HOST and CARTULARY_PORT.`;
  const named = await namedServer(folder);
  if (named?.isRunning) {
    return { address: reachable(named.address), advice: `The data folder ${folder} names it. ${start}` };
  }
  if (named !== undefined) {
    throw new CommandFailure(
      `The server of the data folder ${folder} is gone: its process ${named.pid}, which listened on ${named.address}, has ended without a word. ${start}`,
    );
  }
  if (keyIsKept) throw new CommandFailure(`The server of the data folder ${folder} is not running. ${start}`);
  return { address: addressAt(host, port), advice: ELSEWHERE };
}

const addressAt = (host: string, port: number): string =>
  reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);

/** A server that listens on all addresses is found on this machine's own. */
const reachable = (address: string): string =>
  address.replace(/^http:\/\/0\.0\.0\.0(?=[:/]|$)/, 'http://127.0.0.1').replace(/^http:\/\/\[::\]/, 'http://[::1]');

async function isThisMachine(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const found = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
  const own = new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []));
  return found.length > 0 && found.every(({ address }) => /^127\.|^::1$/.test(address) || own.has(address));
}
