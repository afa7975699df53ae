// Which device of a person this browser is, as far as it remembers.

import { useSyncExternalStore } from 'react';
import { forget, remember, remembered } from '../frame/remembered.ts';

const readers = new Set<() => void>();

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

const tell = (): void => {
  for (const reader of readers) reader();
};

const place = (application: string, userId: string): string => `device.${application}.${userId}`;

/** Undefined for those who have not turned notifications on here. */
export const knownDevice = (application: string, userId: string): string | undefined =>
  remembered(place(application, userId));

/** The same on a page that stays: it changes when the browser is registered again at the start of the page. */
export const useKnownDevice = (application: string, userId: string): string | undefined =>
  useSyncExternalStore(subscribe, () => knownDevice(application, userId));

export function rememberDevice(application: string, userId: string, deviceId: string): void {
  remember(place(application, userId), deviceId);
  tell();
}

export function forgetDevice(application: string, userId: string): void {
  forget(place(application, userId));
  tell();
}
