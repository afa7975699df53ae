// The worker: takes what the page orders, one after the other, and tells what comes of it.

import { CartularyError, ConnectionError } from '../../../../client/src/errors.ts';
import { MovingFailure } from '../../../../src/moving/failure.ts';
import type { Control, Failure, Ordered, Told, WorkName, Works } from '../work.ts';
import { exportRecords, rejectedFile } from './export-work.ts';
import { check, guess, importFile, look, preview, recall, unfinished } from './import-work.ts';
import { Run } from './run.ts';

const WORKS: {
  readonly [Name in WorkName]: (given: Works[Name]['given'], run: Run) => Promise<Works[Name]['result']>;
} = {
  look,
  guess,
  recall,
  unfinished,
  preview,
  check,
  import: importFile,
  rejected: rejectedFile,
  export: exportRecords,
};

const tell = (told: Told): void => postMessage(told);

let current: Run | undefined;

async function work({ id, work: name, given }: Ordered): Promise<void> {
  const run = new Run((progress) => tell({ id, progress }));
  current = run;
  try {
    const task = WORKS[name] as (given: unknown, run: Run) => Promise<Works[WorkName]['result']>;
    tell({ id, result: await task(given, run) });
  } catch (error) {
    tell({ id, failure: failureOf(error) });
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof MovingFailure) return { kind: 'moving', code: error.code, params: error.params };
  if (error instanceof ConnectionError) return { kind: 'unreachable' };
  if (error instanceof CartularyError) {
    const { status, code, params, retryAfterSeconds } = error;
    return { kind: 'refused', status, code, params: { ...params }, retryAfterSeconds };
  }
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

addEventListener('message', ({ data }: MessageEvent<Ordered | Control>) => {
  if ('control' in data) current?.control(data.control);
  else void work(data);
});
