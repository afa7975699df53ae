// The encodings in which a client accepts a reply (RFC 9110 section 12.5.3).

import { BoundedMap } from '../../load/bounded-map.ts';

/** The better one first, where a client accepts both alike (http/compression says which and why). */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A client sends the same header each time, and most clients send one of a few. */
const HEADERS_MAX = 200;
const HEADER_CHARACTERS_MAX = 200;
const chosen = new BoundedMap<string, Encoding | undefined>(HEADERS_MAX);

/** Undefined: as it is. That is always acceptable here, whatever the client says, because refusing would help nobody. */
export function chooseEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined || header.length > HEADER_CHARACTERS_MAX) return undefined;
  if (chosen.has(header)) return chosen.get(header);
  const encoding = best(header);
  chosen.set(header, encoding);
  return encoding;
}

function best(header: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters));
  }
  const all = weights.get('*') ?? 0;
  const weight = (name: string) => weights.get(name) ?? all;
  const [first, ...others] = ENCODINGS;
  const preferred = others.reduce<Encoding>((most, name) => (weight(name) > weight(most) ? name : most), first);
  // Not named, `identity` is acceptable, but less wanted than what is named.
  const isWanted = weight(preferred) > 0 && weight(preferred) >= (weights.get('identity') ?? 0);
  return isWanted ? preferred : undefined;
}

/** 1 without a `q`; what cannot be read is not wanted. */
function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (q === undefined) return 1;
  const text = q.slice(q.indexOf('=') + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
