// The state of one walk of the doctor through all applications: what it has checked and found, and whether it repairs.

import {
  type DoctorTally,
  FINDINGS,
  type Finding,
  type FindingKind,
  type Looked,
  type Progress,
} from '../../wire/doctor.ts';
import type { Removals } from '../attachments/removals.ts';
import type { UpkeepContext } from '../every-application.ts';

export interface Walk {
  readonly context: UpkeepContext;
  readonly mending: boolean;
  readonly hashes: boolean;
  readonly looked: Looked;
  readonly tallies: Readonly<Record<FindingKind, DoctorTally>>;
  /** The kinds of problems found, as `<kind> <applicationId>`. */
  readonly found: Set<string>;
  /** `found` of the walk before: nothing else is checked. */
  readonly due?: ReadonlySet<string>;
  /** Files that are attachments themselves; approximates the number of attachments. */
  filesOfAttachments: number;
  /** Nodes found to be gone so far. */
  readonly gone: Set<string>;
  progress: Progress;
}

export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

export interface NewWalk {
  readonly hashes: boolean;
  /** What to repair; without it the walk only checks. */
  readonly due?: ReadonlySet<string>;
}

export function newWalk(context: UpkeepContext, { hashes, due }: NewWalk): Walk {
  const tallies = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, { found: 0, mended: 0, left: 0 }]));
  const mending = due !== undefined;
  return {
    context,
    mending,
    hashes,
    looked: { place: context.attachments.blobs.location, applications: 0, attachments: 0, files: 0, missing: 0 },
    tallies: tallies as Record<FindingKind, DoctorTally>,
    found: new Set(),
    ...(due === undefined ? {} : { due }),
    filesOfAttachments: 0,
    gone: new Set(),
    progress: { type: 'progress', step: mending ? 'mending' : 'files', done: 0 },
  };
}

/** Records and returns the progress. */
export function advance(walk: Walk, at: Omit<Progress, 'type'>): Progress {
  walk.progress = walk.mending ? { type: 'progress', step: 'mending', done: at.done } : { type: 'progress', ...at };
  return walk.progress;
}

export const isDue = ({ due }: Walk, applicationId: string, kinds: readonly FindingKind[]): boolean =>
  due === undefined || kinds.some((kind) => due.has(`${kind} ${applicationId}`));

/** Counts the findings and returns the lines to report: none in the walk that repairs. */
export function findingsOf(walk: Walk, findings: readonly Omit<Finding, 'type'>[]): Finding[] {
  for (const { kind, applicationId } of findings) {
    walk.tallies[kind].found += 1;
    walk.tallies[kind].left += 1;
    walk.found.add(`${kind} ${applicationId}`);
  }
  return walk.mending ? [] : findings.map((finding) => ({ type: 'finding', ...finding }));
}

/** Counts the removals; a failure goes to the log. */
export function noteRemovals(
  { context, tallies }: Walk,
  { kind, applicationId }: Pick<Finding, 'kind' | 'applicationId'>,
  { removed, error }: Removals,
): void {
  tallies[kind].mended += removed;
  if (error !== undefined) context.observe({ event: 'attachments.unswept', applicationId, error });
}
