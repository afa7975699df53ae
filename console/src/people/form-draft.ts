// What is typed in a form about people and not stored yet. It survives a reload, a crash and signing out, for the same person.
// Passwords are never part of it.

import { useState } from 'react';
import { forget, remember, remembered } from '../frame/remembered.ts';

export interface FormDraft<Kept extends object> {
  readonly changes: Kept;
  /** Whether it was found from an earlier visit. */
  readonly restored: boolean;
  readonly set: (changes: Kept) => void;
  readonly clear: () => void;
}

/** `place`: who types, and what the form is of. Every member of `Kept` is optional. */
export function useFormDraft<Kept extends object>(place: string): FormDraft<Kept> {
  const name = `draft.${place}`;
  const [found] = useState(() => read<Kept>(name));
  const [changes, setChanges] = useState<Kept>(found ?? ({} as Kept));
  return {
    changes,
    restored: found !== undefined,
    set: (next) => {
      setChanges(next);
      if (Object.keys(next).length === 0) forget(name);
      else remember(name, JSON.stringify(next));
    },
    clear: () => {
      setChanges({} as Kept);
      forget(name);
    },
  };
}

function read<Kept>(name: string): Kept | undefined {
  const text = remembered(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Kept;
  } catch {
    return undefined;
  }
}
