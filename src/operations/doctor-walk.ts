// One walk of the doctor through everything: what it looks at, what it has found, and whether it mends.

import { storageUnavailable } from '../store/blob-writes.ts';
import { FINDINGS, type Finding, type FindingKind, type Looked, type Progress, type Tally } from '../wire/doctor.ts';
import type { SweepContext } from './attachment-sweep.ts';

export interface Walk {
  readonly context: SweepContext;
  readonly mending: boolean;
  readonly hashes: boolean;
  readonly looked: Looked;
  readonly tallies: Readonly<Record<FindingKind, Tally>>;
  /** What was found where, as `<kind> <applicationId>`. */
  readonly found: Set<string>;
  /** The same of the walk before: nothing else is looked at. */
  readonly due?: ReadonlySet<string>;
  readonly progress: (step: Progress['step'], done: number) => Progress;
}

export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

export interface NewWalk {
  readonly hashes: boolean;
  /** About how much there is to look at. */
  readonly total: number;
  /** What to mend; without it the walk only looks. */
  readonly due?: ReadonlySet<string>;
}

export function newWalk(context: SweepContext, { hashes, total, due }: NewWalk): Walk {
  const tallies = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, { found: 0, mended: 0, left: 0 }]));
  const mending = due !== undefined;
  return {
    context,
    mending,
    hashes,
    looked: { place: context.attachments.blobs.place, applications: 0, attachments: 0, files: 0, missing: 0 },
    tallies: tallies as Record<FindingKind, Tally>,
    found: new Set(),
    ...(due === undefined ? {} : { due }),
    progress: (step, done) =>
      mending ? { type: 'progress', step: 'mending', done, total: 0 } : { type: 'progress', step, done, total },
  };
}

export const isDue = ({ due }: Walk, applicationId: string, kinds: readonly FindingKind[]): boolean =>
  due === undefined || kinds.some((kind) => due.has(`${kind} ${applicationId}`));

/** Counts them, and gives what is told of them: nothing in the walk that mends. */
export function findingsOf(walk: Walk, findings: readonly Omit<Finding, 'type'>[]): Finding[] {
  for (const { kind, applicationId } of findings) {
    walk.tallies[kind].found += 1;
    walk.tallies[kind].left += 1;
    walk.found.add(`${kind} ${applicationId}`);
  }
  return walk.mending ? [] : findings.map((finding) => ({ type: 'finding', ...finding }));
}

/** What a store throws means that it cannot serve now. */
export function unavailable(error: unknown): never {
  throw storageUnavailable(error);
}
