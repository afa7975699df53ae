// The typed client of the application that the page shows. In a browser the session's cookie goes with its requests.

import { type Client, createClient } from '../../../client/src/main.ts';
import { noteRequest } from './sent-requests.ts';

export * from '../../../client/src/main.ts';

/** A person is waiting: a request that can be repeated is, but not for long. */
const PATIENCE = { retries: 2, waitSecondsMax: 3 };

type EndListener = (application: string) => void;
const endListeners = new Set<EndListener>();

/** Tells when the server no longer knows who asks: the session has expired, or was ended elsewhere. */
export function onSessionEnd(listener: EndListener): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

const clients = new Map<string, Client>();

export function clientOf(application: string): Client {
  const known = clients.get(application);
  if (known !== undefined) return known;
  const watched: typeof fetch = async (input, init) => {
    noteRequest(String(input), init);
    const response = await fetch(input, init);
    // Asking who is signed in, and signing in, answer 401 to those who are not.
    if (response.status === 401 && !String(input).endsWith('/session'))
      for (const listener of endListeners) listener(application);
    return response;
  };
  const client = createClient({ url: location.origin, application, ...PATIENCE, fetch: watched });
  clients.set(application, client);
  return client;
}
