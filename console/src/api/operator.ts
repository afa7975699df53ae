// The operator's interface. The key opens everything, so it is kept for this tab only, and sent to this server only. A user
// whom the operator has named needs none: the session at an application opens the same.

import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { CartularyError, ConnectionError } from './client.ts';
import type { ApplicationSummary } from './operated-shapes.ts';

/** The key, or the application at which a named user is signed in. */
export type OperatorAccess = { readonly key: string } | { readonly application: string };

const KEPT_AS = 'cartulary.operatorKey';

let access: OperatorAccess | undefined = keptKey();
const listeners = new Set<() => void>();

/** Browsers that block storage throw; then the key is kept as long as the page. */
function keptKey(): OperatorAccess | undefined {
  try {
    const key = sessionStorage.getItem(KEPT_AS);
    return key === null ? undefined : { key };
  } catch {
    return undefined;
  }
}

export function setOperatorAccess(next: OperatorAccess | undefined): void {
  access = next;
  try {
    if (next !== undefined && 'key' in next) sessionStorage.setItem(KEPT_AS, next.key);
    else sessionStorage.removeItem(KEPT_AS);
  } catch {
    // It is in memory.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useOperatorAccess = (): OperatorAccess | undefined => useSyncExternalStore(subscribe, () => access);

interface OperatorRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Instead of what is kept. */
  readonly by?: OperatorAccess;
}

/** `path`: relative to the interface, such as `/applications`. The reply is JSON, or nothing. */
export async function askOperator(path: string, request: OperatorRequest = {}): Promise<unknown> {
  const text = await textOf(await sendOperator(path, request), request.signal);
  return text === '' ? undefined : JSON.parse(text);
}

/** The figures of the server, in the Prometheus text format. */
export const askMetrics = async (signal: AbortSignal): Promise<string> =>
  textOf(await sendOperator('/metrics', { signal }), signal);

/** For replies that are read as they come. Throws what the server refuses. */
export async function sendOperator(path: string, request: OperatorRequest = {}): Promise<Response> {
  const { method = 'GET', body, signal, by = access ?? { key: '' } } = request;
  const isKey = 'key' in by;
  const headers: Record<string, string> = isKey ? { authorization: `Bearer ${by.key}` } : {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  const base = isKey ? '/operator/v1' : `/v1/${encodeURIComponent(by.application)}/operator`;
  const reply = await whole(signal, () =>
    fetch(`${base}${path}`, {
      method,
      headers,
      credentials: isKey ? 'omit' : 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  if (reply.ok) return reply;
  // The key was changed, the session has ended, or the user is named no more: the frame asks anew.
  const isShut = reply.status === 401 || (reply.status === 403 && method === 'GET');
  if (isShut && by === access) setOperatorAccess(undefined);
  throw refusalOf(reply, await textOf(reply, signal));
}

const textOf = (reply: Response, signal?: AbortSignal): Promise<string> => whole(signal, () => reply.text());

async function whole<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw new ConnectionError(`No whole reply from ${location.origin}`, { cause: error });
  }
}

function refusalOf({ status, headers }: Response, text: string): CartularyError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const { code, params } = problemIn(text, status);
  return new CartularyError({
    status,
    code,
    params,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function problemIn(text: string, status: number): { code: string; params: Readonly<Record<string, unknown>> } {
  try {
    const { code, params = {} } = JSON.parse(text) as { code?: unknown; params?: Record<string, unknown> };
    if (typeof code === 'string') return { code, params };
  } catch {
    // A proxy's page: the status says what is known.
  }
  return { code: String(status), params: {} };
}

export const applicationsQuery = queryOptions({
  queryKey: ['operator', 'applications'],
  queryFn: async ({ signal }) => (await askOperator('/applications', { signal })) as readonly ApplicationSummary[],
  staleTime: 15_000,
});

/** Whether the server takes the key; throws where that cannot be told. */
export async function isOperatorKey(key: string): Promise<boolean> {
  try {
    await askOperator('/applications', { by: { key } });
    return true;
  } catch (error) {
    if (error instanceof CartularyError && (error.status === 401 || error.status === 403)) return false;
    throw error;
  }
}
