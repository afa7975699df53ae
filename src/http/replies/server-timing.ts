// Where the time of a request went, told to whoever asked (docs/monitoring.md). Never to somebody unknown: how long the
// gate took would tell accounts that exist from those that do not.

import type { RequestScope, Stage } from '../../request/request-scope.ts';

const STAGES: readonly Stage[] = ['admission', 'gate', 'quota', 'body', 'operation'];

/** Undefined where nothing may be told. Of a stream it is what is known when its headers go out. */
export function serverTiming(scope: RequestScope, status: number): string | undefined {
  if (!scope.authenticated || status === 401) return undefined;
  let text = '';
  for (const stage of STAGES) {
    let milliseconds = -1;
    for (const lap of scope.stages) {
      if (lap.stage === stage) milliseconds = Math.max(milliseconds, 0) + lap.to - lap.from;
    }
    if (milliseconds >= 0) text += `${stage};dur=${hundredths(milliseconds)}, `;
  }
  text += `db;dur=${hundredths(scope.databaseMs)}`;
  // Of a refusal the number is kept back: it could tell what the caller may not see from what is not there.
  if (status < 400) text += `;desc="${scope.statements === 1 ? '1 statement' : `${scope.statements} statements`}"`;
  return `${text}, total;dur=${hundredths(performance.now() - scope.startedAt)}`;
}

const hundredths = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
