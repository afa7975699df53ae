// How a server is told to stop: by a signal, or by the primary process.

const SAME_SIGNAL_MS = 2_000;

export interface StopRequest {
  /** Resolves with the name of the signal. */
  readonly signal: Promise<string>;
  received: boolean;
}

export function stopRequestFrom(listen: (stop: (signal: string) => void) => void): StopRequest {
  const request = { received: false, signal: Promise.resolve('') };
  request.signal = new Promise((resolve) => {
    listen((signal) => {
      request.received = true;
      resolve(signal);
    });
  });
  return request;
}

export function stopRequestFromSignals(): StopRequest {
  return stopRequestFrom((stop) => {
    let firstAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      // A terminal signals the whole process group and npm forwards its signal, so one Ctrl-C arrives twice. A signal
      // after that is a second Ctrl-C.
      process.on(signal, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130);
        stop(signal);
      });
    }
  });
}
