// The searches that a person has made in a collection, newest first, kept in this browser until they are forgotten.

import { forget, remember, remembered } from '../frame/remembered.ts';

const KEPT_MAX = 8;
/** Longer ones would not be recognized in a list. */
const LENGTH_MAX = 300;

const nameOf = (user: string, collection: string): string => `searches.${user}.${collection}`;

export function recentSearches(user: string, collection: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(remembered(nameOf(user, collection)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string').slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

export function keepSearch(user: string, collection: string, search: string): void {
  if (search === '' || search.length > LENGTH_MAX) return;
  const others = recentSearches(user, collection).filter((each) => each !== search);
  remember(nameOf(user, collection), JSON.stringify([search, ...others].slice(0, KEPT_MAX)));
}

/** One that the server refused is not offered again. */
export function dropSearch(user: string, collection: string, search: string): void {
  const kept = recentSearches(user, collection);
  const others = kept.filter((each) => each !== search);
  if (others.length < kept.length) remember(nameOf(user, collection), JSON.stringify(others));
}

export const forgetSearches = (user: string, collection: string): void => forget(nameOf(user, collection));
