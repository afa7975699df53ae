// Liveness and readiness, for load balancers and supervisors.

import type { FastifyInstance } from 'fastify';

export interface Health {
  /** Whether requests can be served: the database answers and is migrated. */
  readonly ready: () => Promise<boolean>;
}

const READY_MS = 2_000;

export function bindHealth(app: FastifyInstance, { ready }: Health): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (await within(READY_MS, ready())) return { status: 'ready' };
    return reply
      .code(503)
      .header('retry-after', '1')
      .send({ code: 'UNAVAILABLE', params: { reason: 'database' } });
  });
}

async function within(milliseconds: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([answer.catch(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
