// The requests that the page in sight has come of, what the frame around it asks, and the latest changes.

import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer } from 'react';
import type { OperationName } from '../../../client/src/operations.ts';
import { latestChanges, requestsOf, type SentRequest } from '../api/sent-requests.ts';
import { type Call, callOf } from './code/call.ts';

export interface ShownRequest {
  readonly id: string;
  readonly call: Call;
}

export const GROUPS = ['page', 'changes', 'frame'] as const;
export type GroupName = (typeof GROUPS)[number];
export type ShownRequests = Readonly<Record<GroupName, readonly ShownRequest[]>>;

/** What every page asks. */
const FRAME: readonly (OperationName | undefined)[] = ['getSession', 'getApplication', 'getSignInMethods'];

export function useShownRequests(application: string): ShownRequests {
  const cache = useQueryClient().getQueryCache();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => cache.subscribe(notifyManager.batchCalls(redraw)), [cache]);
  const asked = cache.findAll({ type: 'active' }).flatMap(requestsOf);
  const isFrame = ({ call }: ShownRequest) => FRAME.includes(call.operation?.name);
  const reads = shown('asked', asked, application);
  return {
    page: reads.filter((request) => !isFrame(request)),
    changes: shown('changed', latestChanges(), application),
    frame: reads.filter(isFrame),
  };
}

/** Several parts of a page may have asked for the same. */
function shown(kind: string, sent: readonly SentRequest[], application: string): readonly ShownRequest[] {
  const below = `${location.origin}/v1/${encodeURIComponent(application)}`;
  const byId = new Map<string, ShownRequest>();
  for (const request of sent.filter(({ url }) => url === below || url.startsWith(`${below}/`))) {
    const { method, url, body } = request;
    const id = `${kind} ${method} ${url} ${JSON.stringify(body)}`;
    if (!byId.has(id)) byId.set(id, { id, call: callOf(request, application) });
  }
  return [...byId.values()];
}
