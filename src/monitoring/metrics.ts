// The figures of this process, and the text of /metrics for all processes of the server.

import type { Observation } from '../events/events.ts';
import { withTimeout } from '../request/timeout.ts';
import { EventCounts, type KnownNames } from './event-counts.ts';
import { exposition, processFigures } from './exposition.ts';
import { type DatabaseReadings, type Figure, figuresOf, type Readings } from './figures.ts';

/** The workers of one server, seen from one of them (cli/worker). */
export interface Peers {
  /** `read` gives the figures of this process whenever a worker collects them; they are sent as JSON. */
  provideFigures(read: () => Promise<unknown>): void;
  /** The figures of all workers that respond, including this one. */
  collectFigures(): Promise<readonly unknown[]>;
}

export interface Sources {
  readonly read: () => Promise<Omit<Readings, 'database'>>;
  readonly readDatabase: () => Promise<DatabaseReadings>;
  /** Undefined without workers. */
  readonly peers: Peers | undefined;
  readonly names: KnownNames;
}

/** Less than other workers wait for figures: an unavailable database only leaves out its own figures. */
const DATABASE_MS = 800;

export class Metrics {
  readonly #counts = new EventCounts();
  #sources: Sources | undefined;

  observe(observation: Observation): void {
    this.#counts.count(observation);
  }

  /** Called once all parts exist; events before that are already counted. */
  readFrom(sources: Sources): void {
    this.#sources = sources;
    this.#counts.startAtZero(sources.names);
    sources.peers?.provideFigures(() => this.figures());
  }

  async figures(): Promise<Figure[]> {
    const { read, readDatabase } = this.#sources!;
    const [readings, database, ofProcess] = await Promise.all([
      read(),
      withTimeout(
        DATABASE_MS,
        readDatabase().catch(() => undefined),
      ),
      processFigures(),
    ]);
    return [...figuresOf({ ...readings, database }, this.#counts), ...ofProcess];
  }

  async text(): Promise<string> {
    const peers = this.#sources?.peers;
    const processes = peers === undefined ? [await this.figures()] : await peers.collectFigures();
    return exposition(processes as readonly (readonly Figure[])[]);
  }
}
