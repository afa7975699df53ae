// Changes of an application's settings by a publish: one sentence for each, with the old and the new value. Collections
// and columns are in diff.

import { type Definition, QUOTA_GROUPS } from '../../wire/publish-document.ts';
import { shown } from './problems.ts';

/** A sentence names this many entries of a list and counts the rest. */
const NAMED_MAX = 10;

const SETTINGS = {
  organization: 'Organization',
  timeZone: 'Time zone',
  plan: 'Plan',
  sharedUsersModeEnabled: 'Shared-users mode',
  teamsModeEnabled: 'Team mode',
  pushNotificationsEnabled: 'Push notifications',
  activityLogEnabled: 'Activity log',
  maxAttachmentBytes: 'Largest attachment in bytes',
} as const satisfies Partial<Record<keyof Definition, string>>;

export function settingSentences(current: Definition, next: Definition): string[] {
  const settings = (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).flatMap((setting) =>
    sentence(SETTINGS[setting], current[setting], next[setting]),
  );
  const limits = QUOTA_GROUPS.flatMap((group) =>
    sentence(`Limit of ${group}`, current.limits[group] ?? 'as in the plan', next.limits[group] ?? 'as in the plan'),
  );
  return [
    ...settings,
    ...limits,
    ...listSentence('Allowed origins', current.allowedOrigins, next.allowedOrigins),
    ...listSentence('Profiles', current.profiles, next.profiles),
    ...listSentence('Teams', current.teams, next.teams),
  ];
}

function sentence(label: string, before: string | number | boolean, after: string | number | boolean): string[] {
  return before === after ? [] : [`${label}: ${word(before)} → ${word(after)}.`];
}

const word = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);

/** Short lists in full; for long ones the added and removed entries. */
function listSentence(label: string, before: readonly string[], after: readonly string[]): string[] {
  if (before.length === after.length && before.every((name, index) => name === after[index])) return [];
  if (Math.max(before.length, after.length) <= NAMED_MAX) return [`${label}: ${names(before)} → ${names(after)}.`];
  const [old, kept] = [new Set(before), new Set(after)];
  const added = names(after.filter((name) => !old.has(name)));
  const removed = names(before.filter((name) => !kept.has(name)));
  return [`${label}: ${before.length} → ${after.length}; added ${added}; removed ${removed}.`];
}

function names(all: readonly string[]): string {
  if (all.length === 0) return 'none';
  const first = all.slice(0, NAMED_MAX).map(shown).join(', ');
  return all.length <= NAMED_MAX ? first : `${first} and ${all.length - NAMED_MAX} more`;
}
