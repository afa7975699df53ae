// What a request brings along: its parameters, and its body where it has one.

import type { FastifyRequest } from 'fastify';
import { fault } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Transfers } from '../gate/transfers.ts';
import type { Slices } from '../slices.ts';
import type { Trip } from '../trip.ts';
import { readFile, readJsonBytes } from './body.ts';
import { readJson } from './json.ts';
import type { Patience } from './patience.ts';
import type { BodyRule, Input } from './route.ts';

interface Means {
  readonly publicUrl: () => string;
  readonly publicUrlSet: boolean;
  readonly admission: Admission;
  readonly slices: Slices;
  readonly uploads: Transfers;
  readonly patience: Patience;
}

export async function readInput(
  { publicUrl, publicUrlSet, admission, slices, uploads, patience }: Means,
  request: FastifyRequest,
  { params, rule, trip }: { params: Record<string, string>; rule: BodyRule<unknown> | undefined; trip: Trip },
): Promise<Input<unknown>> {
  const read = async ({ shape, bytesMax }: BodyRule<unknown>) => {
    const coming = readJsonBytes(request.raw, bytesMax, patience);
    // What came with the headers is there by then: nobody is waited for, and the place is kept.
    await undefined;
    const bytes = await (request.raw.complete ? coming : admission.aside(trip, () => coming));
    return shape.read(await readJson(bytes, { slices, trip, elementsMax: shape.elementsMax }));
  };
  const body = rule === undefined ? undefined : await read(rule);
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // As the client addressed us, unless the operator says how clients do.
  const address = () => {
    const origin = publicUrlSet || request.host === '' ? publicUrl() : `${request.protocol}://${request.host}`;
    return origin + request.url.split('?', 1)[0];
  };
  // A file takes as long as its client and the store of files need: it has no place, and no deadline but for the database (http/deadlines).
  const bytes = (bytesMax: number) => {
    trip.endTransfer ??= uploads.begin(trip.share);
    trip.deadlineAt = Number.POSITIVE_INFINITY;
    admission.leave(trip);
    return readFile(request.raw, bytesMax, { counted: trip, patience });
  };
  const isHead = request.method === 'HEAD';
  return { params, query: readQuery(request.url), header, isHead, address, body, bytes };
}

/** A parameter that is given twice counts as first given. */
function readQuery(url: string): Record<string, string | undefined> {
  const start = url.indexOf('?');
  const query: Record<string, string | undefined> = Object.create(null) as Record<string, string | undefined>;
  if (start === -1) return query;
  const text = url.slice(start + 1);
  for (const [name, value] of new URLSearchParams(text)) query[name] ??= value;
  return query;
}

/**
 * URLSearchParams puts U+FFFD for what it cannot decode: another search than was meant would be run. What nobody reads
 * harms nobody.
 */
export function refuseBrokenEncoding(url: string, parameters: readonly string[]): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  for (const part of url.slice(start + 1).split('&')) {
    const [name = ''] = part.split('=', 1);
    if (!parameters.includes(name)) continue;
    try {
      decodeURIComponent(part);
    } catch {
      throw fault('INVALID_PARAMETER', { parameter: name, reason: 'is not percent-encoded UTF-8' });
    }
  }
}
