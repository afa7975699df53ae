// Push services that refuse half of what they get, in a thread of their own: they must not compete with who sends.

import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { startFcm } from './phones.ts';
import { type Browser, startPushService } from './push-service.ts';

export interface Arrived {
  readonly requests: number;
  /** What was taken, by browsers and by phones: the body of each, as often as it was. */
  readonly bodies: readonly string[];
}

export interface HalfFailing {
  readonly origin: string;
  /** What the operator's file holds. */
  readonly fcmAccount: Record<string, string>;
  readonly subscription: Browser['subscription'];
  /** How much has been taken so far. */
  taken(): Promise<number>;
  arrived(): Promise<Arrived>;
  close(): Promise<void>;
}

type Question = 'taken' | 'arrived' | 'close';

export async function startHalfFailing(): Promise<HalfFailing> {
  const worker = new Worker(new URL(import.meta.url));
  const answer = <T>(question?: Question) =>
    new Promise<T>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (message: T) => {
        worker.off('error', reject);
        resolve(message);
      });
      if (question !== undefined) worker.postMessage(question);
    });
  // One after the other: answers come in the order of the questions, and only one waits.
  let last: Promise<unknown> = Promise.resolve();
  const ask = <T>(question: Question): Promise<T> => {
    const asked = last.then(() => answer<T>(question));
    last = asked;
    return asked;
  };
  const begun = await answer<Pick<HalfFailing, 'origin' | 'fcmAccount' | 'subscription'>>();
  return {
    ...begun,
    taken: () => ask('taken'),
    arrived: () => ask('arrived'),
    close: async () => {
      await ask('close');
      await worker.terminate();
    },
  };
}

async function serve(): Promise<void> {
  const [service, fcm] = await Promise.all([startPushService(), startFcm()]);
  const browser = service.browser();
  let requests = 0;
  const byChance = (status: number) => {
    requests += 1;
    return { status: Math.random() < 0.5 ? 503 : status };
  };
  service.react = () => byChance(201);
  fcm.react = () => byChance(200);
  const answers: Record<Question, () => unknown> = {
    taken: () => browser.arrivals.length + fcm.taken.length,
    arrived: () => ({
      requests,
      bodies: [
        ...browser.arrivals.map(({ message }) => message.body),
        ...fcm.taken.map(({ body }) => body.message.notification.body),
      ],
    }),
    close: () => Promise.all([service.close(), fcm.close()]),
  };
  parentPort?.on('message', async (question: Question) => {
    const said = await answers[question]();
    parentPort?.postMessage(question === 'close' ? undefined : said);
  });
  parentPort?.postMessage({
    origin: service.origin,
    fcmAccount: fcm.account,
    subscription: browser.subscription,
  });
}

if (!isMainThread) await serve();
