// @ts-check
// The child's side of a process that is given jobs (load-process.mjs): one at a time, each may be asked to end early, and the
// process ends with its parent.

/**
 * @template Job, Outcome
 * @param {(job: Job, signal: AbortSignal) => Promise<Outcome>} run the signal: the parent asks for an early end
 */
export function takeJobs(run) {
  let stopping = new AbortController();
  process.on('message', async (/** @type {Job | 'stop'} */ message) => {
    if (message === 'stop') {
      stopping.abort();
      return;
    }
    stopping = new AbortController();
    try {
      process.send?.({ outcome: await run(message, stopping.signal) });
    } catch (error) {
      process.send?.({ failure: error instanceof Error ? error.stack : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
  // A terminal signals the whole process group; only the parent decides when to stop.
  process.on('SIGINT', () => {});
}
