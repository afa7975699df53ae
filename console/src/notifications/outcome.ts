// What became of notifications, as people ask: of a sending to many, of one person, of one device.

import type { Delivery, SentNotification } from '../../../client/src/main.ts';

export const OUTCOMES = ['delivered', 'waiting', 'failed', 'none'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One device is enough to reach a person. */
export function outcomeOf({ deliveries }: Pick<SentNotification, 'deliveries'>): Outcome {
  if (deliveries.length === 0) return 'none';
  const has = (state: Delivery['state']) => deliveries.some((delivery) => delivery.state === state);
  if (has('delivered')) return 'delivered';
  return has('waiting') ? 'waiting' : 'failed';
}

/** The same message to several people. */
export interface Sending {
  readonly id: string;
  readonly first: SentNotification;
  readonly notifications: readonly SentNotification[];
  readonly counts: Readonly<Record<Outcome, number>>;
}

/** The time that a sending to many may take from one person to the next. */
const GAP_MS = 60_000;

/** Newest first, as the list is. The same message to the same person again is another sending. */
export function sendingsOf(notifications: readonly SentNotification[]): Sending[] {
  const groups: SentNotification[][] = [];
  for (const one of notifications) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const belongs =
      group !== undefined &&
      last !== undefined &&
      last.title === one.title &&
      last.body === one.body &&
      last.url === one.url &&
      last.createdBy.id === one.createdBy.id &&
      Date.parse(last.createdAt) - Date.parse(one.createdAt) <= GAP_MS &&
      !group.some(({ user }) => user.id === one.user.id);
    if (belongs) group.push(one);
    else groups.push([one]);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const counts = { delivered: 0, waiting: 0, failed: 0, none: 0 };
    for (const one of group) counts[outcomeOf(one)] += 1;
    return [{ id: first.id, first, notifications: group, counts }];
  });
}

export type Why = 'gone' | 'disabled' | 'ended' | 'tooOld' | 'busy' | 'refused' | 'other';

/** The server's words, so that each language has its own. */
const REASONS: readonly (readonly [RegExp, Why])[] = [
  [/^the user is disabled/, 'disabled'],
  [/^the sign-in by which/, 'ended'],
  [/^it is too old/, 'tooOld'],
  [/^no answer|^answered (?:408|429|5\d\d)/, 'busy'],
  [/^answered/, 'refused'],
];

export function whyOf({ state, problem = '' }: Pick<Delivery, 'state' | 'problem'>): Why | undefined {
  if (state === 'delivered') return undefined;
  if (state === 'gone') return 'gone';
  if (problem === '') return undefined;
  return REASONS.find(([words]) => words.test(problem))?.[1] ?? 'other';
}
