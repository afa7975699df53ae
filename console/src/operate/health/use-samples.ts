// Reads the metrics every few seconds while somebody looks, and keeps what it read for as long as the tab is open.

import { useQuery } from '@tanstack/react-query';
import { askMetrics } from '../../api/operator.ts';
import { Reading, readMetrics } from './metrics.ts';
import { type Sample, sampleOf, type TimedReading } from './samples.ts';

const EVERY_MS = 5_000;
/** An hour. */
const SAMPLES_MAX = 720;

let kept: readonly Sample[] = [];
let last: TimedReading | undefined;

export interface Health {
  readonly samples: readonly Sample[];
  readonly reading: Reading;
}

export const useHealth = () =>
  useQuery({
    queryKey: ['operator', 'metrics'],
    queryFn: async ({ signal }): Promise<Health> => {
      const reading = new Reading(readMetrics(await askMetrics(signal)));
      const now = { at: Date.now(), reading };
      kept = [...kept, sampleOf(now, last)].slice(-SAMPLES_MAX);
      last = now;
      return { samples: kept, reading };
    },
    refetchInterval: EVERY_MS,
    staleTime: 0,
    structuralSharing: false,
  });
