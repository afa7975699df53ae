// How a server is asked to end.

const IMPATIENCE_MS = 2_000;

export interface Ending {
  readonly signal: Promise<string>;
  asked: boolean;
}

export function endingBy(listen: (end: (signal: string) => void) => void): Ending {
  const ending = { asked: false, signal: Promise.resolve('') };
  ending.signal = new Promise((done) => {
    listen((signal) => {
      ending.asked = true;
      done(signal);
    });
  });
  return ending;
}

export function whenAskedToEnd(): Ending {
  return endingBy((end) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      // A terminal tells the whole group, and npm passes it on: the same wish arrives twice. Later it means impatience.
      process.on(signal, () => {
        askedAt ??= performance.now();
        if (performance.now() - askedAt > IMPATIENCE_MS) process.exit(130);
        end(signal);
      });
    }
  });
}
