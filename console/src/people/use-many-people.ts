// Creates people one after the other and keeps what became of each. A line that is done is never sent again.

import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { CartularyError, ConnectionError } from '../api/client.ts';
import { forgetPeople } from '../api/people.ts';
import { createPerson } from './creating.ts';
import type { Manager } from './Managers.tsx';
import type { PastedPerson } from './pasted-people.ts';
import { usePeopleProblem } from './people-problem.ts';
import type { WayIn } from './ways-in.ts';

export type Outcome =
  | { readonly kind: 'created' | 'mailed'; readonly userId: string }
  | { readonly kind: 'linked'; readonly userId: string; readonly link: string }
  /** The user is there, but has no link. */
  | { readonly kind: 'linkFailed'; readonly userId: string; readonly text: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'refused'; readonly text: string };

export type Outcomes = ReadonlyMap<number, Outcome>;

export interface ManyPeople {
  readonly outcomes: Outcomes;
  readonly begun: boolean;
  readonly busy: boolean;
  readonly created: number;
  /** Why it stopped before the end. */
  readonly problem: string | undefined;
  readonly isSettled: (line: number) => boolean;
  readonly create: (people: readonly PastedPerson[], way: WayIn) => Promise<void>;
  readonly stop: () => void;
  readonly reset: () => void;
}

export function useManyPeople({ application, definition }: Manager): ManyPeople {
  const queries = useQueryClient();
  const problemOf = usePeopleProblem();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [busy, setBusy] = useState(false);
  const [begun, setBegun] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stopped = useRef(false);
  const settled = [...outcomes.values()].filter(({ kind }) => kind !== 'refused');

  async function create(people: readonly PastedPerson[], way: WayIn): Promise<void> {
    stopped.current = false;
    setBusy(true);
    setBegun(true);
    setProblem(undefined);
    for (const { line, values } of people) {
      if (stopped.current) break;
      try {
        const { user, link, linkProblem } = await createPerson(application, definition, { values, way, password: '' });
        keep(line, outcomeOf(user.id, link?.link, linkProblem, way));
      } catch (error) {
        if (isTaken(error)) keep(line, { kind: 'exists' });
        else if (endsAll(error)) {
          setProblem(problemOf(error).text);
          break;
        } else keep(line, { kind: 'refused', text: problemOf(error).text });
      }
    }
    setBusy(false);
    forgetPeople(queries, application);
  }

  const keep = (line: number, outcome: Outcome) => setOutcomes((known) => new Map(known).set(line, outcome));

  function outcomeOf(userId: string, link: string | undefined, linkProblem: unknown, way: WayIn): Outcome {
    if (linkProblem !== undefined) return { kind: 'linkFailed', userId, text: problemOf(linkProblem).text };
    if (link !== undefined) return { kind: 'linked', userId, link };
    return { kind: way === 'mail' ? 'mailed' : 'created', userId };
  }

  return {
    ...{ outcomes, begun, busy, problem, create },
    created: settled.filter(({ kind }) => kind !== 'exists').length,
    isSettled: (line) => (outcomes.get(line)?.kind ?? 'refused') !== 'refused',
    stop: () => {
      stopped.current = true;
    },
    reset: () => {
      setOutcomes(new Map());
      setBegun(false);
      setProblem(undefined);
    },
  };
}

const isTaken = (error: unknown): boolean =>
  error instanceof CartularyError && (error.is('USER_NAME_TAKEN') || error.is('ALREADY_ACTIVE'));

/** The next line would fail in the same way. */
const endsAll = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof CartularyError && (error.status === 401 || error.status === 429 || error.status >= 500));
