// What the browser remembers for a person between visits. Browsers that block storage throw; then nothing is remembered.

/** Under which name the browser's storage has it. */
export const storageKey = (name: string): string => `cartulary.${name}`;

export function remembered(name: string): string | undefined {
  try {
    return localStorage.getItem(storageKey(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(storageKey(name), value);
  } catch {
    // Next time the person has to choose again.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(storageKey(name));
  } catch {
    // There was nothing.
  }
}
