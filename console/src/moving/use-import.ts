// An import from choosing a file to what came of it.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Checked } from '../../../src/moving/import/dry-run.ts';
import type { Verdict } from '../../../src/moving/import/journal.ts';
import type { CollectionDefinition } from '../api/client.ts';
import { forgetLists } from '../api/records.ts';
import { useZone } from '../messages/time-zone.tsx';
import type { Choices, FileForm, Look } from './choices.ts';
import { firstChoices } from './choices.ts';
import { useMovingWorker } from './moving-worker.ts';
import type { Progress } from './rates.ts';
import type { ImportOutcome, Place, PreviewRow, Remembered } from './work.ts';

export interface Running {
  readonly work: 'check' | 'import';
  readonly startedAt: number;
  readonly paused: boolean;
  readonly progress: Progress | undefined;
}

interface Chosen {
  readonly file: File;
  readonly look: Look;
}

export function useImport(place: Place, collection: CollectionDefinition) {
  const worker = useMovingWorker();
  const queries = useQueryClient();
  const [reading, setReading] = useState(false);
  const [chosen, setChosen] = useState<Chosen>();
  const [choices, setChoices] = useState<Choices>();
  const [unfinished, setUnfinished] = useState<readonly Remembered[]>([]);
  const [remembered, setRemembered] = useState<Remembered>();
  const [preview, setPreview] = useState<readonly PreviewRow[]>();
  const [running, setRunning] = useState<Running>();
  const [checked, setChecked] = useState<Checked>();
  const [outcome, setOutcome] = useState<ImportOutcome>();
  const [refused, setRefused] = useState<Verdict>();
  const [failure, setFailure] = useState<unknown>();
  const looks = useRef(0);
  const timeZone = useZone();

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the page is opened
  useEffect(() => {
    void worker?.order('unfinished', place).then(setUnfinished, () => undefined);
  }, [worker]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice gives another preview
  useEffect(() => {
    if (worker === undefined || chosen === undefined || choices === undefined) return;
    if (Object.keys(choices.columns).length === 0) {
      setPreview([]);
      return;
    }
    let isCurrent = true;
    worker.order('preview', { ...place, file: chosen.file, choices }).then(
      (rows) => isCurrent && setPreview(rows),
      (error) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [worker, chosen, choices]);

  async function look(file: File, form: Partial<FileForm>): Promise<Look | undefined> {
    looks.current += 1;
    const own = looks.current;
    setReading(true);
    setFailure(undefined);
    try {
      const found = await worker?.order('look', { file, form });
      return own === looks.current ? found : undefined;
    } catch (error) {
      if (own === looks.current) setFailure(error);
      return undefined;
    } finally {
      if (own === looks.current) setReading(false);
    }
  }

  function forgetResults(): void {
    setChecked(undefined);
    setOutcome(undefined);
    setRefused(undefined);
    setFailure(undefined);
  }

  return {
    ...{ isReady: worker !== undefined, reading, chosen, choices, unfinished, remembered, preview },
    ...{ running, checked, outcome, refused, failure },
    /** Another file, with the choices of an import of it that has not come to its end. */
    async choose(file: File): Promise<void> {
      forgetResults();
      setChosen(undefined);
      setPreview(undefined);
      const known = await worker?.order('recall', { ...place, file }).catch(() => undefined);
      const found = await look(file, known?.choices.form ?? {});
      if (found === undefined) return;
      setRemembered(known);
      setChoices(known?.choices ?? firstChoices(found, collection, timeZone));
      setChosen({ file, look: found });
    },
    /** The same file, read in another way: its columns may be others. */
    async reread(form: FileForm): Promise<void> {
      if (chosen === undefined) return;
      forgetResults();
      const found = await look(chosen.file, form);
      if (found === undefined) return;
      setChoices(firstChoices(found, collection, timeZone));
      setChosen({ file: chosen.file, look: found });
    },
    change(changed: Choices): void {
      forgetResults();
      setChoices(changed);
    },
    async run(work: 'check' | 'import', { restart = false } = {}): Promise<void> {
      if (worker === undefined || chosen === undefined || choices === undefined) return;
      forgetResults();
      const plan = { ...place, file: chosen.file, choices };
      setRunning({ work, startedAt: performance.now(), paused: false, progress: undefined });
      const onProgress = (progress: Progress) => setRunning((now) => now && { ...now, progress });
      try {
        if (work === 'check') setChecked(await worker.order('check', plan, onProgress));
        else {
          const result = await worker.order('import', { ...plan, restart }, onProgress);
          if ('refused' in result) setRefused(result.refused);
          else setOutcome(result);
        }
      } catch (error) {
        setFailure(error);
      } finally {
        setRunning(undefined);
        if (work === 'import') forgetLists(queries, place.application.id, collection.id);
      }
    },
    pause(paused: boolean): void {
      worker?.control(paused ? 'pause' : 'resume');
      setRunning((now) => now && { ...now, paused });
    },
    stop: () => worker?.control('stop'),
    rejectedFile: async (reasons: ReadonlyMap<number, string>): Promise<Blob | undefined> =>
      chosen && choices && worker?.order('rejected', { ...place, file: chosen.file, choices, reasons }),
    leave(): void {
      forgetResults();
      setChosen(undefined);
      setChoices(undefined);
      setRemembered(undefined);
      setUnfinished([]);
    },
  };
}

export type Importing = ReturnType<typeof useImport>;
