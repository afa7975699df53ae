// The typed client of the application that the page shows. In a browser the session's cookie goes with its requests.

import { type Client, createClient } from '../../../client/src/main.ts';

export * from '../../../client/src/main.ts';

/** A person is waiting: a request that can be repeated is, but not for long. */
const PATIENCE = { retries: 2, waitSecondsMax: 3 };

const clients = new Map<string, Client>();

export function clientOf(application: string): Client {
  const known = clients.get(application);
  if (known !== undefined) return known;
  const client = createClient({ url: location.origin, application, ...PATIENCE });
  clients.set(application, client);
  return client;
}
