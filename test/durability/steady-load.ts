// A modest load through the interface that goes on whatever happens, and keeps what it was answered.

import { setTimeout as pause } from 'node:timers/promises';
import { string, type TestApplication } from '../support/application.ts';

const PAUSE_MS = 50;

export interface Answered {
  readonly status: number;
  /** `performance.now()`. */
  readonly from: number;
  readonly to: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

export interface Load {
  readonly answers: Answered[];
  /** Identifiers of the records whose creation was answered with success. */
  readonly acknowledged: string[];
  /** Requests that have no answer yet. */
  readonly underWay: () => number;
  stop(): Promise<void>;
}

/** Half of the loops create, half of them read. */
export function steadyLoad(application: TestApplication, loops: number): Load {
  const answers: Answered[] = [];
  const acknowledged: string[] = [];
  let going = true;
  let underWay = 0;
  let title = 0;
  const create = () => {
    title += 1;
    const json = { values: { [application.ids.Notes?.Title ?? '']: string(`note ${title}`) } };
    return application.send('POST', application.records('Notes'), { json });
  };
  const read = () => application.send('GET', application.records('Notes', acknowledged.at(-1)));
  const loop = async (ask: () => ReturnType<typeof create>) => {
    while (going) {
      const from = performance.now();
      underWay += 1;
      const { status, headers, body, text } = await ask();
      underWay -= 1;
      answers.push({ status, from, to: performance.now(), retryAfter: headers.get('retry-after'), text });
      if (ask === create && status === 200) acknowledged.push(body.id);
      await pause(PAUSE_MS);
    }
  };
  const running = Array.from({ length: loops }, (_, n) => loop(n % 2 === 0 ? create : read));
  return {
    answers,
    acknowledged,
    underWay: () => underWay,
    stop: async () => {
      going = false;
      await Promise.all(running);
    },
  };
}
