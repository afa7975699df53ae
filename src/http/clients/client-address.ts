// The canonical spelling of IP addresses, so that one client counts as one wherever addresses are counted or stored.

import { isIPv4, isIPv6 } from 'node:net';
import { BoundedMap } from '../../load/bounded-map.ts';

/** Parsing an IPv6 address takes many times as long as an IPv4 address, and most clients send many requests. */
const known = new BoundedMap<string, string | undefined>(2_000);
/** Longer than any spelling of an address. */
const LENGTH_MAX = 100;

/** Undefined for a text that is not an address. */
export function canonicalAddress(text = ''): string | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  if (known.has(text)) return known.get(text);
  const address = readAddress(text);
  known.set(text, address);
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
