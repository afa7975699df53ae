// Designs that are kept in this browser until they are thrown away.

import { forget, remembered, storageKey } from '../frame/remembered.ts';
import type { Design } from './design.ts';

export interface DraftSummary {
  readonly id: string;
  readonly name: string;
  /** ISO 8601. */
  readonly changedAt: string;
}

export interface KeptDraft {
  readonly design: Design;
  /** The published version that it was begun from. */
  readonly version?: number;
}

/** Opens a design that was just made, with the file that it was made from. */
export type Begin = (kept: KeptDraft, source?: SourceFile) => void;

const LIST = 'designs';
const nameOf = (id: string): string => `design.${id}`;

/** Under which name the browser's storage has a draft. */
export const draftStorageKey = (id: string): string => storageKey(nameOf(id));

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The last changed first. */
export function drafts(): readonly DraftSummary[] {
  const list = parsed(remembered(LIST));
  return Array.isArray(list) ? (list as DraftSummary[]) : [];
}

export function keptDraft(id: string): KeptDraft | undefined {
  const kept = parsed(remembered(nameOf(id))) as Partial<KeptDraft> | undefined;
  return Array.isArray(kept?.design?.collections) ? (kept as KeptDraft) : undefined;
}

/** False where the browser does not take it: it is full, or keeps nothing. */
export function keepDraft(id: string, kept: KeptDraft): boolean {
  const summary = { id, name: kept.design.settings.name, changedAt: new Date().toISOString() };
  try {
    localStorage.setItem(storageKey(nameOf(id)), JSON.stringify(kept));
    localStorage.setItem(
      storageKey(LIST),
      JSON.stringify([summary, ...drafts().filter((draft) => draft.id !== id)] satisfies DraftSummary[]),
    );
    return true;
  } catch {
    return false;
  }
}

export function forgetDraft(id: string): void {
  forget(nameOf(id));
  try {
    localStorage.setItem(storageKey(LIST), JSON.stringify(drafts().filter((draft) => draft.id !== id)));
  } catch {
    // A list that cannot be written has nothing to forget.
  }
}

/** A file that a design was made of, so that its rows can be imported. It is gone with the page. */
export interface SourceFile {
  readonly file: File;
  readonly collection: string;
}
export const sourceFiles = new Map<string, SourceFile>();
