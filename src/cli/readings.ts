// Reads the current state of a server's parts for its metrics (monitoring/figures).

import type { Server } from 'node:http';
import { promisify } from 'node:util';
import type { Authenticator } from '../gate/credentials/authenticate.ts';
import type { Sessions } from '../gate/credentials/sessions.ts';
import type { Services } from '../http/handle.ts';
import type { Background } from '../jobs/background.ts';
import type { Readings } from '../monitoring/figures.ts';
import type { Definitions } from '../store/applications/definitions.ts';
import type { WorkerWatch } from '../store/cluster/worker-watch.ts';
import type { Database } from '../store/database/database.ts';
import type { NodeListener } from '../store/nodes/messages.ts';
import { VERSION } from './version.ts';

interface Sources {
  readonly services: Pick<
    Services,
    'admission' | 'deadlines' | 'uploads' | 'downloads' | 'unread' | 'bodies' | 'byteBudget'
  > & {
    readonly database: Database;
    readonly definitions: Definitions;
    readonly authenticator: Authenticator;
    readonly sessions: Sessions;
  };
  readonly server: Server;
  readonly listener: NodeListener;
  readonly background: Readonly<Record<string, Background>>;
  readonly workers: WorkerWatch;
  readonly embedded: boolean;
}

export async function readParts({
  services,
  server,
  listener,
  background,
  workers,
  embedded,
}: Sources): Promise<Omit<Readings, 'database'>> {
  const { admission, deadlines, uploads, downloads, unread, bodies, byteBudget } = services;
  const { database, definitions, authenticator, sessions } = services;
  const connections = await promisify(server.getConnections.bind(server))();
  const now = performance.now();
  return {
    version: VERSION,
    requests: { underWay: deadlines.watched, admitted: admission.slotsTaken, waiting: admission.waiting },
    transfers: { in: uploads.active, out: downloads.active },
    connections,
    unreadBytes: unread.bytes,
    bodyBytes: bodies.known.bytes + bodies.visitors.bytes,
    longRecords: { bytes: byteBudget.bytes, waiting: byteBudget.waiting },
    pool: database.counts,
    workers: workers.states ?? [],
    replicas: database.replicas && { states: database.replicas.states, reads: database.replicas.outcomes },
    embedded,
    tasks: Object.fromEntries(Object.entries(background).map(([kind, { waiting }]) => [kind, waiting])),
    caches: { definitions: definitions.lookups, ...authenticator.lookups, sessions: sessions.lookups },
    // `receivedAsOf` is -Infinity until the first contact with the other nodes; the age then counts from the start.
    hearingAgeMs: Math.min(now, now - listener.receivedAsOf),
  };
}
