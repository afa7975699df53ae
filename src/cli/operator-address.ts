// Which server a command connects to: the one named by options or settings, or the one of the data folder, without a
// fallback. The key goes over plain HTTP only within this machine.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../settings/settings.ts';
import { CommandFailure, usageFailure } from './failure.ts';
import { namedServer } from './server-file.ts';

export interface AddressOptions {
  readonly url?: string;
  readonly insecure?: boolean;
}

export interface ServerAddress {
  /** Without a slash at the end. */
  readonly root: string;
  readonly origin: string;
  /** Whether the server itself must hold the other end of the connection: neither TLS nor --insecure covers a relay. */
  readonly isDirect: boolean;
  /** What to do when no server answers. */
  readonly advice: string;
}

const ELSEWHERE = 'If it listens elsewhere, set CARTULARY_HOST and CARTULARY_PORT, or give --url.';

/** `keyIsKept`: whether the key comes from the data folder and so belongs to its server. */
export async function findServer(
  environment: NodeJS.ProcessEnv,
  config: Config,
  { url, insecure = false, keyIsKept }: AddressOptions & { readonly keyIsKept: boolean },
): Promise<ServerAddress> {
  const { address, advice } =
    url === undefined ? await unnamed(environment, config, keyIsKept) : { address: url, advice: ELSEWHERE };
  const { origin, isPlain } = await requireSafe(address, { insecure, secret: 'the operator key' });
  // The base address that the server prints is accepted too.
  return { root: address.replace(/\/+$/, '').replace(/\/v1$/, ''), origin, isDirect: isPlain, advice };
}

/** Secrets go to other machines over https only, unless the user says otherwise. */
export async function requireSafe(
  address: string,
  { insecure, secret }: { readonly insecure: boolean; readonly secret: string },
): Promise<{ origin: string; isPlain: boolean }> {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw usageFailure(`${address} is not the address of a server; an example is http://127.0.0.1:8080.`);
  }
  const { origin, protocol, hostname } = new URL(address);
  const isPlain = protocol === 'http:' && !insecure;
  if (isPlain && !(await isThisMachine(hostname))) {
    throw usageFailure(
      `${origin} is another machine, and over plain HTTP ${secret} could be read on the way. Use https, or add --insecure on a network that only you use.`,
    );
  }
  return { origin, isPlain };
}

async function unnamed(
  environment: NodeJS.ProcessEnv,
  { CARTULARY_HOST: host, CARTULARY_PORT: port, CARTULARY_DATA: data }: Config,
  keyIsKept: boolean,
): Promise<{ address: string; advice: string }> {
  // Port 0 lets the server choose a port, so that setting names no server.
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
      `The server of the data folder ${folder} is not running: its process ${named.pid}, which listened on ${named.address}, ended without removing its entry. ${start}`,
      { exit: 'unavailable' },
    );
  }
  if (keyIsKept) {
    throw new CommandFailure(`The server of the data folder ${folder} is not running. ${start}`, {
      exit: 'unavailable',
    });
  }
  return { address: addressAt(host, port), advice: ELSEWHERE };
}

const addressAt = (host: string, port: number): string =>
  reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);

/** A server that listens on all addresses is reached at the loopback address. */
const reachable = (address: string): string =>
  address.replace(/^http:\/\/0\.0\.0\.0(?=[:/]|$)/, 'http://127.0.0.1').replace(/^http:\/\/\[::\]/, 'http://[::1]');

async function isThisMachine(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const found = isIP(host) === 0 ? await lookup(host, { all: true }).catch(unresolved(host)) : [{ address: host }];
  const own = new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []));
  return found.length > 0 && found.every(({ address }) => /^127\.|^::1$/.test(address) || own.has(address));
}

const unresolved = (host: string) => (error: NodeJS.ErrnoException) => {
  throw new CommandFailure(unknownHost(host, error.code ?? error.message), { cause: error, exit: 'unavailable' });
};

export const unknownHost = (host: string, code: string): string =>
  `The host name ${host} cannot be resolved (${code}). Check its spelling and the name server of this machine.`;
