// Undo and redo of a design. Typing on in one field is one step.

export interface History<State> {
  readonly past: readonly State[];
  readonly present: State;
  readonly future: readonly State[];
  /** Of the last change: its field and when it was. */
  readonly last?: { readonly field: string; readonly at: number };
}

const STEPS_MAX = 500;
const SAME_STEP_MS = 1_500;

export type Step<State> =
  | { readonly kind: 'change'; readonly to: State; readonly field?: string; readonly at: number }
  | { readonly kind: 'undo' }
  | { readonly kind: 'redo' }
  | { readonly kind: 'begin'; readonly with: State };

export const begun = <State>(present: State): History<State> => ({ past: [], present, future: [] });

export function afterStep<State>(history: History<State>, step: Step<State>): History<State> {
  const { past, present, future, last } = history;
  if (step.kind === 'begin') return begun(step.with);
  if (step.kind === 'undo') {
    const before = past.at(-1);
    return before === undefined ? history : { past: past.slice(0, -1), present: before, future: [present, ...future] };
  }
  if (step.kind === 'redo') {
    const [next, ...rest] = future;
    return next === undefined ? history : { past: [...past, present], present: next, future: rest };
  }
  const { to, field, at } = step;
  if (to === present) return history;
  const goesOn = field !== undefined && last?.field === field && at - last.at < SAME_STEP_MS;
  return {
    past: goesOn ? past : [...past, present].slice(-STEPS_MAX),
    present: to,
    future: [],
    ...(field === undefined ? {} : { last: { field, at } }),
  };
}
