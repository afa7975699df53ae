// The applications that were used in this browser, with their names, the last one first.

import { remember, remembered } from './remembered.ts';

export interface KnownApplication {
  readonly id: string;
  readonly name: string;
}

const NAME = 'applications';
const KEPT_MAX = 12;

export function knownApplications(): readonly KnownApplication[] {
  try {
    const kept: unknown = JSON.parse(remembered(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKnown).slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

const isKnown = (one: unknown): one is KnownApplication =>
  typeof one === 'object' &&
  one !== null &&
  typeof (one as KnownApplication).id === 'string' &&
  typeof (one as KnownApplication).name === 'string';

export function rememberApplication({ id, name }: KnownApplication): void {
  const others = knownApplications().filter((one) => one.id !== id);
  remember(NAME, JSON.stringify([{ id, name }, ...others].slice(0, KEPT_MAX)));
}
