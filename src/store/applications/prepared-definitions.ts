// The definitions that this node has prepared, bounded by their size: ten thousand small applications fit, and so do a few
// large ones.

import type { PreparedApplication } from '../../domain/definition/application.ts';

/**
 * In characters of their JSON. A prepared definition takes about five bytes for each of them, and the texts of its statements
 * as much again.
 */
export const CHARACTERS_MAX = 32 * 2 ** 20;

interface Held {
  /** Changes with everything that a preparation depends on. */
  readonly mark: string;
  readonly application: PreparedApplication;
  readonly characters: number;
}

export class PreparedDefinitions {
  /** By application, the least recently loaded first. */
  readonly #held = new Map<string, Held>();
  readonly #charactersMax: number;
  readonly #onDropped: (applicationId: string) => void;
  #characters = 0;

  /** `onDropped`: called for an application that makes room for others. */
  constructor(onDropped: (applicationId: string) => void, charactersMax = CHARACTERS_MAX) {
    this.#onDropped = onDropped;
    this.#charactersMax = charactersMax;
  }

  /** An unchanged definition keeps its object, and with it the caches keyed by it. */
  get(applicationId: string, mark: string): PreparedApplication | undefined {
    const held = this.#held.get(applicationId);
    if (held?.mark !== mark) return undefined;
    this.#held.delete(applicationId);
    this.#held.set(applicationId, held);
    return held.application;
  }

  set(mark: string, application: PreparedApplication): void {
    const { id } = application;
    this.delete(id);
    const characters = JSON.stringify(application.definition).length;
    this.#held.set(id, { mark, application, characters });
    this.#characters += characters;
    for (const oldest of this.#held.keys()) {
      if (this.#characters <= this.#charactersMax || oldest === id) return;
      this.delete(oldest);
      this.#onDropped(oldest);
    }
  }

  delete(applicationId: string): void {
    this.#characters -= this.#held.get(applicationId)?.characters ?? 0;
    this.#held.delete(applicationId);
  }
}
