// A design on the page: its changes with undo and redo, what is wrong with it, and its copy in the browser.

import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { DocumentFinding } from '../../../src/domain/definition/findings.ts';
import { type Design, documentOf } from './design.ts';
import { draftStorageKey, type KeptDraft, keepDraft, keptDraft } from './drafts.ts';
import { findingsOf } from './find-problems.ts';
import { afterStep, begun, type History, type Step } from './history.ts';
import { type ProblemPlaces, placesOf } from './problem-places.ts';

/** After the last key, so that large designs do not wait for their check at each. */
const PAUSE_MS = 150;

export interface Designing {
  readonly design: Design;
  readonly version: number | undefined;
  readonly problems: ProblemPlaces;
  readonly kept: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** `field`: changes of the same one in a row are one step. */
  readonly change: (to: Design, field?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Begins anew with what was published. */
  readonly begin: (kept: KeptDraft) => void;
}

export function useDesign(id: string, first: KeptDraft): Designing {
  const [history, step] = useReducer<History<Design>, [Step<Design>]>(afterStep, begun(first.design));
  const [version, setVersion] = useState(first.version);
  const [kept, setKept] = useState(true);
  const [findings, setFindings] = useState<readonly DocumentFinding[]>(() => findingsOf(documentOf(first.design)));
  const { present: design } = history;
  const stored = useRef(first.design);
  const keep = useRef<() => void>(() => undefined);
  keep.current = () => {
    if (stored.current === design) return;
    stored.current = design;
    setKept(keepDraft(id, { design, ...(version === undefined ? {} : { version }) }));
  };

  useEffect(() => {
    const timer = setTimeout(() => {
      setFindings(findingsOf(documentOf(design)));
      keep.current();
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [design]);

  // A page that is left at once loses nothing.
  useEffect(() => {
    const leave = () => keep.current();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);

  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      const found = key === draftStorageKey(id) ? keptDraft(id) : undefined;
      if (found === undefined) return;
      stored.current = found.design;
      setVersion(found.version);
      step({ kind: 'begin', with: found.design });
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, [id]);

  return {
    ...{ design, version, kept },
    problems: useMemo(() => placesOf(findings), [findings]),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change: (to, field) => step({ kind: 'change', to, at: Date.now(), ...(field === undefined ? {} : { field }) }),
    undo: () => step({ kind: 'undo' }),
    redo: () => step({ kind: 'redo' }),
    begin: (next) => {
      setVersion(next.version);
      step({ kind: 'begin', with: next.design });
    },
  };
}
