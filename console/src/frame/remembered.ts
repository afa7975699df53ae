// What the browser remembers for a person between visits. Browsers that block storage throw; then nothing is remembered.

const key = (name: string): string => `cartulary.${name}`;

export function remembered(name: string): string | undefined {
  try {
    return localStorage.getItem(key(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(key(name), value);
  } catch {
    // Next time the person has to choose again.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(key(name));
  } catch {
    // There was nothing.
  }
}
