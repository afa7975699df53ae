// Where a request comes from: an address in its one spelling, so that it is one to whatever counts and names addresses.

import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What a trusted proxy names may be any text; where it is no address it is the proxy that asks. */
export const clientAddress = ({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string =>
  addressIn(ip) ?? addressIn(socket.remoteAddress) ?? '';

/** Reading one of IPv6 takes many times as long as one of IPv4, and most clients send many requests. */
const read = new Map<string, string | undefined>();
const READ_MAX = 2_000;
/** Longer than any address is written. */
const LENGTH_MAX = 100;

function addressIn(text = ''): string | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  if (read.has(text)) return read.get(text);
  const address = readAddress(text);
  if (read.size >= READ_MAX) read.clear();
  read.set(text, address);
  return address;
}

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;
const IPV4_IN_IPV6 = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

function readAddress(text: string): string | undefined {
  const bare = WITH_PORT.exec(text)?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  const [address = ''] = (BRACKETED.exec(text)?.[1] ?? text).split('%', 1);
  if (!isIPv6(address)) return undefined;
  const spelt = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = IPV4_IN_IPV6.exec(spelt) ?? [];
  if (high === undefined || low === undefined) return spelt;
  return [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 255])
    .join('.');
}
