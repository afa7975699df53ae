// What is being written, kept in the browser for that person until it is sent: a reload loses nothing, and a sending that was
// interrupted goes on where it stopped.

import type { User } from '../api/client.ts';
import type { Team } from '../api/notifications.ts';
import { forget, remember, remembered } from '../frame/remembered.ts';
import { type Draft, EMPTY_DRAFT } from './message.ts';

export interface KeptDraft {
  readonly draft: Draft;
  readonly people: readonly User[];
  readonly teams: readonly Team[];
  /** Of a sending that has begun, and who has been sent to. */
  readonly begun?: { readonly key: string; readonly sent: readonly string[] };
}

export const NOTHING_KEPT: KeptDraft = { draft: EMPTY_DRAFT, people: [], teams: [] };

const place = (application: string, userId: string): string => `notification.${application}.${userId}`;

export function readKept(application: string, userId: string): KeptDraft {
  const text = remembered(place(application, userId));
  if (text === undefined) return NOTHING_KEPT;
  try {
    return { ...NOTHING_KEPT, ...(JSON.parse(text) as Partial<KeptDraft>) };
  } catch {
    return NOTHING_KEPT;
  }
}

export function keep(application: string, userId: string, kept: KeptDraft): void {
  if (kept === NOTHING_KEPT) forget(place(application, userId));
  else remember(place(application, userId), JSON.stringify(kept));
}

/** Each person once, whoever named them. */
export const receiversOf = ({ people, teams }: Pick<KeptDraft, 'people' | 'teams'>): readonly User[] => [
  ...new Map([...people, ...teams.flatMap(({ members }) => members)].map((person) => [person.id, person])).values(),
];
