// Changes that are typed and not yet stored. They survive a reload, a crash and signing out, for the same person.

import { useState } from 'react';
import type { RawValue } from '../api/client.ts';
import { forget, remember, remembered } from '../frame/remembered.ts';

/** By column; null takes the value away. */
export type Changes = Readonly<Record<string, RawValue | null>>;

export interface Draft {
  readonly changes: Changes;
  /** Whether it was found from an earlier visit. */
  readonly restored: boolean;
  readonly set: (changes: Changes) => void;
  readonly clear: () => void;
}

/** `place`: the user, and the record or the collection of a new one. */
export function useDraft(place: string): Draft {
  const name = `draft.${place}`;
  const [found] = useState(() => read(name));
  const [changes, setChanges] = useState<Changes>(found ?? {});
  return {
    changes,
    restored: found !== undefined,
    set: (next) => {
      setChanges(next);
      if (Object.keys(next).length === 0) forget(name);
      else remember(name, JSON.stringify(next));
    },
    clear: () => {
      setChanges({});
      forget(name);
    },
  };
}

function read(name: string): Changes | undefined {
  const text = remembered(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Changes;
  } catch {
    return undefined;
  }
}
