// The figures of this process, and the text of all of them.

import type { Observation } from '../observe/events.ts';
import { withTimeout } from '../request/timeout.ts';
import { EventCounts, type KnownNames } from './event-counts.ts';
import { exposition, processFigures } from './exposition.ts';
import { type DatabaseReadings, type Figure, figuresOf, type Readings } from './figures.ts';

/** The processes of one server, as one of them sees them (cli/worker). */
export interface Peers {
  /** What this process says when one of them asks; what it gives is sent as JSON. */
  answerWith(answer: () => Promise<unknown>): void;
  /** The answers of all that are there, this one's among them. */
  ask(): Promise<readonly unknown[]>;
}

export interface Sources {
  readonly read: () => Promise<Omit<Readings, 'database'>>;
  readonly askDatabase: () => Promise<DatabaseReadings>;
  /** Where there are several. */
  readonly peers: Peers | undefined;
  readonly names: KnownNames;
}

/** Less than the other processes wait for an answer: a database that is away leaves out its own figures alone. */
const DATABASE_MS = 800;

export class Metrics {
  readonly #counts = new EventCounts();
  #sources: Sources | undefined;

  observe(observation: Observation): void {
    this.#counts.note(observation);
  }

  /** Given when all parts are there; what happens before is counted already. */
  readFrom(sources: Sources): void {
    this.#sources = sources;
    this.#counts.expect(sources.names);
    sources.peers?.answerWith(() => this.figures());
  }

  async figures(): Promise<Figure[]> {
    const { read, askDatabase } = this.#sources!;
    const [readings, database, ofProcess] = await Promise.all([
      read(),
      withTimeout(
        DATABASE_MS,
        askDatabase().catch(() => undefined),
      ),
      processFigures(),
    ]);
    return [...figuresOf({ ...readings, database }, this.#counts), ...ofProcess];
  }

  async text(): Promise<string> {
    const peers = this.#sources?.peers;
    const processes = peers === undefined ? [await this.figures()] : await peers.ask();
    return exposition(processes as readonly (readonly Figure[])[]);
  }
}
