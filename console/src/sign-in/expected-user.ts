// Who will sign in next in this tab, once: the person who has just set a password by a link.

import { storageKey } from '../frame/remembered.ts';

const KEY = storageKey('expected-user');

export function expectUser(email: string): void {
  try {
    sessionStorage.setItem(KEY, email);
  } catch {
    // The person types it.
  }
}

export function takeExpectedUser(): string {
  try {
    const email = sessionStorage.getItem(KEY) ?? '';
    sessionStorage.removeItem(KEY);
    return email;
  } catch {
    return '';
  }
}
