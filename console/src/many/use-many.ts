// From the question to the outcome: which records are meant, how far it is, and what became of them.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { forgetLists } from '../api/records.ts';
import { isRefusal } from './change-record.ts';
import { collectMeant, type Meant } from './collect.ts';
import { type Outcome, runMany } from './run-many.ts';

const AT_ONCE = 4;

type Asked = Parameters<typeof collectMeant>[0];

export type Stage =
  | { readonly name: 'collecting'; readonly count: number }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'asking'; readonly meant: readonly Meant[] }
  | { readonly name: 'running'; readonly tried: number; readonly count: number; readonly stopping: boolean }
  | { readonly name: 'over'; readonly outcome: Outcome<Meant> };

export interface Many {
  readonly stage: Stage;
  /** Those that are left, after a run that was stopped. */
  readonly run: (targets: readonly Meant[], work: (target: Meant) => Promise<void>) => void;
  readonly stop: () => void;
}

export function useMany(asked: Asked): Many {
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ name: 'collecting', count: 0 });
  const stopping = useRef<AbortController>(undefined);
  const ran = useRef(false);
  const [question] = useState(asked);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    collectMeant(question, { signal, onCount: (count) => setStage({ name: 'collecting', count }) }).then(
      (meant) => signal.aborted || setStage({ name: 'asking', meant }),
      (error: unknown) => signal.aborted || setStage({ name: 'failed', error }),
    );
    return () => leaving.abort();
  }, [question]);
  // Not before the outcome was seen: a list that is empty now would take the dialog with it.
  useEffect(
    () => () => {
      if (!ran.current) return;
      const { application, collection } = question;
      forgetLists(queries, application, collection.id);
      void queries.invalidateQueries({ queryKey: [application, 'record', collection.id] });
    },
    [queries, question],
  );
  // A page that goes away in the middle leaves the rest undone.
  useEffect(() => {
    if (stage.name !== 'running') return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [stage.name]);

  async function run(targets: readonly Meant[], work: (target: Meant) => Promise<void>): Promise<void> {
    const before = stage.name === 'over' ? stage.outcome : undefined;
    const count = targets.length;
    const controller = new AbortController();
    stopping.current = controller;
    const show = (tried: number) => setStage({ name: 'running', tried, count, stopping: controller.signal.aborted });
    show(0);
    const { signal } = controller;
    const outcome = await runMany(targets, work, { concurrency: AT_ONCE, signal, isRefusal, onProgress: show });
    ran.current = true;
    setStage({
      name: 'over',
      outcome: {
        ...outcome,
        done: (before?.done ?? 0) + outcome.done,
        refused: [...(before?.refused ?? []), ...outcome.refused],
      },
    });
  }

  return {
    stage,
    run: (targets, work) => void run(targets, work),
    stop: () => {
      stopping.current?.abort();
      setStage((now) => (now.name === 'running' ? { ...now, stopping: true } : now));
    },
  };
}
