// Changes that are typed and not yet stored. They survive a reload, a crash and signing out, for the same person, and are
// the same in all tabs of the browser.

import { useEffect, useState } from 'react';
import type { RawRecord } from '../api/client.ts';
import { forget, remember, remembered, storageKey } from '../frame/remembered.ts';
import type { Base, Changes } from './changes.ts';

interface Kept {
  readonly changes: Changes;
  /** Absent for a new record. */
  readonly base?: Base;
}

export interface Draft extends Kept {
  /** Whether it was found from an earlier visit. */
  readonly restored: boolean;
  /** Counts what came from other tabs: editors that keep text of their own begin anew. */
  readonly arrivals: number;
  /** The first change decides which record it is based on. */
  readonly set: (changes: Changes, record: RawRecord | undefined) => void;
  /** The changes are to be stored on top of this record, which the person has seen. */
  readonly rebase: (changes: Changes, record: RawRecord) => void;
  readonly clear: () => void;
}

const NOTHING: Kept = { changes: {} };
const nameOf = (place: string): string => `draft.${place}`;

/** `place`: the user, and the record or the collection of a new one. `given`: what a new one begins with. */
export function useDraft(place: string, given: Changes = {}): Draft {
  const name = nameOf(place);
  const [found] = useState(() => keptDraft(place));
  const [kept, setKept] = useState<Kept>({ ...found, changes: { ...found?.changes, ...given } });
  const [arrivals, setArrivals] = useState(0);
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== storageKey(name)) return;
      setKept(keptDraft(place) ?? NOTHING);
      setArrivals((count) => count + 1);
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, [name, place]);
  function keep(next: Kept): void {
    setKept(next);
    if (Object.keys(next.changes).length === 0) forget(name);
    else remember(name, JSON.stringify(next));
  }
  return {
    ...kept,
    restored: found !== undefined && Object.keys(kept.changes).length > 0,
    arrivals,
    set: (changes, record) => keep(withBase(changes, kept.base, record)),
    rebase: (changes, record) => keep(withBase(changes, undefined, record)),
    clear: () => keep(NOTHING),
  };
}

function withBase(changes: Changes, base: Base | undefined, record: RawRecord | undefined): Kept {
  if (record === undefined || Object.keys(changes).length === 0) return { changes };
  const known = { ...record.values, ...base?.values };
  const values = Object.fromEntries(
    Object.keys(changes).flatMap((id) => (known[id] === undefined ? [] : [[id, known[id]]])),
  );
  return { changes, base: { hash: base?.hash ?? record.hash, values } };
}

/** What a place has in this browser. */
export function keptDraft(place: string): Kept | undefined {
  const text = remembered(nameOf(place));
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as Partial<Kept>;
    return typeof kept.changes === 'object' ? (kept as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** What was typed for a record that is gone becomes the draft of a new one. */
export function keepDraft(place: string, changes: Changes): void {
  remember(nameOf(place), JSON.stringify({ changes } satisfies Kept));
}

export const forgetDraft = (place: string): void => forget(nameOf(place));
