// An export, from the choice of a place to the file.

import { useState } from 'react';
import type { FileFormat } from '../../../src/moving/formats/format-names.ts';
import { useMovingWorker } from './moving-worker.ts';
import type { Progress } from './rates.ts';
import { saveBlob } from './save-blob.ts';
import { chooseTarget } from './save-target.ts';
import type { ExportPlan } from './work.ts';

const TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export interface ExportState {
  readonly progress?: Progress | undefined;
  readonly isRunning: boolean;
  /** Undefined before the end, and if it was stopped. */
  readonly exported?: number;
  readonly isStopped?: boolean;
  readonly failure?: unknown;
}

export function useExport() {
  const worker = useMovingWorker();
  const [state, setState] = useState<ExportState>({ isRunning: false });
  return {
    state,
    isReady: worker !== undefined,
    stop: () => worker?.control('stop'),
    async start(name: string, plan: Omit<ExportPlan, 'target'>): Promise<void> {
      if (worker === undefined) return;
      const target = await chooseTarget(name, { [TYPES[plan.format]]: [`.${plan.format}`] });
      if (target === 'none') return;
      setState({ isRunning: true });
      try {
        const given = target === undefined ? plan : { ...plan, target };
        const done = await worker.order('export', given, (progress) => setState({ isRunning: true, progress }));
        if (done?.blob !== undefined) saveBlob(new Blob([done.blob], { type: TYPES[plan.format] }), name);
        setState(
          done === undefined ? { isRunning: false, isStopped: true } : { isRunning: false, exported: done.records },
        );
      } catch (failure) {
        setState({ isRunning: false, failure });
      }
    },
  };
}
