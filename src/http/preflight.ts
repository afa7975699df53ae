// Preflights: what a browser asks before it sends the request of a page of another origin (http/cross-origin). They need no
// credentials, count against no quota, and tell nothing about the application but whether it allows the origin.

import { fault } from '../faults.ts';
import { isIdentifier } from '../wire/identifiers.ts';
import { allowOrigin, isPreflight, preflightReply } from './cross-origin.ts';
import { type Services, withAdmission } from './handle.ts';
import type { Reply } from './replies/reply.ts';
import type { UserRoute } from './routes/row.ts';
import { type Handler, sendReplies } from './send.ts';

interface PreflightRoute {
  readonly method: 'OPTIONS';
  readonly path: string;
  readonly handler: Handler;
}

/** One for each path of the table. `others`: the handler of an OPTIONS request that is no preflight. */
export function preflightRoutes(
  services: Services,
  rows: readonly UserRoute[],
  others: (path: string) => Handler,
): PreflightRoute[] {
  const open = rows.filter(({ ownPagesOnly }) => ownPagesOnly !== true);
  return [...new Set(open.map(({ path }) => path))].map((path) => {
    const preflight = preflightHandler(
      services,
      open.filter((row) => row.path === path),
    );
    const other = others(path);
    const handler: Handler = (request, response) => (isPreflight(request) ? preflight : other)(request, response);
    return { method: 'OPTIONS', path, handler };
  });
}

function preflightHandler(services: Services, rows: readonly UserRoute[]): Handler {
  const { allowedOrigins, definitions } = services;
  const [row] = rows;
  if (row === undefined) throw new Error('A path without routes has no preflight.');
  const allowed = preflightReply(rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
  return sendReplies(services, row.path, async (request, scope): Promise<Reply> => {
    const asking = { scope, origin: request.headers.origin, row };
    const { applicationId = '' } = request.params;
    const isKnown = isIdentifier('applicationId', applicationId);
    if (isKnown) scope.applicationId = applicationId;
    // Usually neither waits for a slot nor for the database.
    if (allowOrigin(asking, allowedOrigins, isKnown ? definitions.peek(applicationId) : undefined)) return allowed;
    return withAdmission({ services, scope }, async () => {
      const application = isKnown ? await definitions.get(applicationId) : undefined;
      if (allowOrigin(asking, allowedOrigins, application)) return allowed;
      throw fault('FORBIDDEN');
    });
  });
}
