// Requests to a provider: with a deadline, without following redirects, and with a limit on the size of a reply.

import type { CustomFetch } from 'openid-client';

/** The provider does not reply, or replies with a server error. */
export class ProviderAway extends Error {}

const REPLY_BYTES_MAX = 1024 * 1024;

/** For requests that share one deadline. */
export function boundedFetch(deadlineMs: number): CustomFetch {
  const signal = AbortSignal.timeout(deadlineMs);
  return async (address, options) => {
    const { method, headers, body } = options;
    try {
      const request = { method, headers, body: body ?? null, redirect: 'manual', signal } as const;
      const response = await fetch(address, request);
      if (response.status >= 500) {
        // An unread body would hold its connection.
        await response.body?.cancel();
        throw new ProviderAway(`answers ${response.status}`);
      }
      const bytes = await readBounded(response);
      const { status } = response;
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
    } catch (error) {
      throw error instanceof ProviderAway ? error : new ProviderAway(wordsOf(error), { cause: error });
    }
  };
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop gives up the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > REPLY_BYTES_MAX) throw new ProviderAway(`answers more than ${REPLY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The message of Node is only "fetch failed"; the reason is in the cause. */
function wordsOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'does not answer in time';
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? 'cannot be reached';
}
