// What the doctor has said so far: the server sends a line of JSON for each finding, and progress between them.

export type FindingKind =
  | 'bytesWithoutAttachment'
  | 'bytesWithoutApplication'
  | 'leftovers'
  | 'withoutBytes'
  | 'otherSize'
  | 'otherContent'
  | 'bytesBack'
  | 'interrupted'
  | 'halfRemoved';

interface Finding {
  readonly kind: FindingKind;
  readonly applicationId: string;
  readonly attachmentId: string;
  readonly name?: string;
}

export interface DoctorState {
  readonly progress: { readonly step: 'files' | 'attachments' | 'mending'; readonly done: number } | undefined;
  readonly found: number;
  /** The first of each kind. */
  readonly findings: readonly Finding[];
  /** Why nothing was mended, or why it could not go on. */
  readonly refused: string | undefined;
  readonly stopped: string | undefined;
  readonly end: DoctorEnd | undefined;
}

interface DoctorEnd {
  readonly looked: { readonly applications: number; readonly attachments: number; readonly files: number };
  readonly tallies: Readonly<Record<FindingKind, { readonly found: number; readonly mended: number }>>;
}

export type DoctorLine =
  | ({ readonly type: 'progress' } & NonNullable<DoctorState['progress']>)
  | ({ readonly type: 'finding' } & Finding)
  | { readonly type: 'refused' | 'stopped'; readonly reason: string }
  | ({ readonly type: 'end' } & DoctorEnd);

export const IDLE: DoctorState = {
  progress: undefined,
  found: 0,
  findings: [],
  refused: undefined,
  stopped: undefined,
  end: undefined,
};

const EXAMPLES_MAX = 3;

export function withLine(state: DoctorState, line: DoctorLine): DoctorState {
  switch (line.type) {
    case 'progress':
      return { ...state, progress: line };
    case 'finding': {
      const isExample = state.findings.filter(({ kind }) => kind === line.kind).length < EXAMPLES_MAX;
      return { ...state, found: state.found + 1, findings: isExample ? [...state.findings, line] : state.findings };
    }
    case 'refused':
    case 'stopped':
      return { ...state, [line.type]: line.reason };
    case 'end': {
      const found = Object.values(line.tallies).reduce((sum, tally) => sum + tally.found, 0);
      return { ...state, end: line, found };
    }
  }
}
