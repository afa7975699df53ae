// The definition of the application, fetched once and again when it turns out to be stale, and the columns of a collection
// by the names that programs use.

import type { RawOperations } from './operation-types.ts';
import type { ApplicationDefinition, CollectionDefinition, ColumnDefinition } from './shapes.ts';

/** A collection or column that the application does not have, or a name that two of them share. */
export class UnknownNameError extends Error {
  readonly kind: 'collection' | 'column' | 'key';
  readonly given: string;
  /** The names that exist. */
  readonly known: readonly string[];

  constructor(kind: UnknownNameError['kind'], given: string, place: string, known: readonly string[]) {
    super(`${place} has no ${kind} "${given}". It has: ${known.join(', ')}`);
    this.name = 'UnknownNameError';
    this.kind = kind;
    this.given = given;
    this.known = known;
  }
}

/** The columns of a collection by the keys of plain records. */
export class CollectionSchema {
  readonly version: number;
  readonly definition: CollectionDefinition;
  readonly #byKey = new Map<string, ColumnDefinition>();
  readonly #keys = new Map<string, string>();

  constructor(version: number, definition: CollectionDefinition) {
    this.version = version;
    this.definition = definition;
    const names = definition.columns.map(({ name }) => name);
    for (const column of definition.columns) {
      const isClear = names.filter((name) => name === column.name).length === 1 && !column.name.startsWith('$');
      const key = isClear ? column.name : `$${column.id}`;
      this.#keys.set(column.id, key);
      this.#byKey.set(key, column);
      this.#byKey.set(`$${column.id}`, column);
    }
  }

  get id(): string {
    return this.definition.id;
  }

  /** By its name, or by `$` and its ID, as in the search language. */
  column(key: string): ColumnDefinition {
    const column = this.#byKey.get(key);
    if (column === undefined) throw new UnknownNameError('column', key, this.definition.name, [...this.#keys.values()]);
    return column;
  }

  /** How a plain record names a column: by its name, or by `$` and its ID where two columns share the name. */
  keyOf(columnId: string): string | undefined {
    return this.#keys.get(columnId);
  }
}

/** Enough for a program that asks for names that do not exist not to use up the quota. */
const REFRESH_PAUSE_MS = 1_000;

export class Definitions {
  readonly #raw: RawOperations;
  #current: Promise<ApplicationDefinition> | undefined;
  #schemas = new Map<string, CollectionSchema>();
  #fetchedAt = 0;

  constructor(raw: RawOperations) {
    this.#raw = raw;
  }

  /** The definition, from memory if it was fetched before. */
  get(): Promise<ApplicationDefinition> {
    this.#current ??= this.#fetch();
    return this.#current;
  }

  /** Fetched anew. */
  refresh(): Promise<ApplicationDefinition> {
    this.#current = this.#fetch();
    return this.#current;
  }

  /** By name or ID. What is not there is looked for in a fresh definition before it is an error. */
  async collection(name: string): Promise<CollectionSchema> {
    const known = findCollection(await this.get(), name);
    if (known !== undefined) return this.#schemaOf(known);
    const found = this.#isStale() ? findCollection(await this.refresh(), name) : undefined;
    if (found !== undefined) return this.#schemaOf(found);
    const { name: application, collections } = await this.get();
    throw new UnknownNameError(
      'collection',
      name,
      application,
      collections.map((each) => each.name),
    );
  }

  /** The collection in a definition of another version than `seen`, if the application has been published since. */
  async newer(seen: CollectionSchema): Promise<CollectionSchema | undefined> {
    const cached = await this.get();
    const { version } = cached.version !== seen.version || !this.#isStale() ? cached : await this.refresh();
    return version === seen.version ? undefined : this.collection(seen.id);
  }

  #isStale(): boolean {
    return performance.now() - this.#fetchedAt > REFRESH_PAUSE_MS;
  }

  /** Shared by all that wait for it, so that no one caller's signal ends it. */
  async #fetch(): Promise<ApplicationDefinition> {
    try {
      const { body } = await this.#raw.getApplication({});
      this.#fetchedAt = performance.now();
      return body;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #schemaOf(definition: CollectionDefinition): Promise<CollectionSchema> {
    const { version } = await this.get();
    const known = this.#schemas.get(definition.id);
    if (known?.version === version) return known;
    const schema = new CollectionSchema(version, definition);
    this.#schemas.set(definition.id, schema);
    return schema;
  }
}

function findCollection({ collections }: ApplicationDefinition, name: string): CollectionDefinition | undefined {
  const byId = collections.find(({ id }) => id === name);
  if (byId !== undefined) return byId;
  const named = collections.filter((each) => each.name === name);
  if (named.length < 2) return named[0];
  const ids = named.map(({ id }) => id).join(', ');
  throw new TypeError(`Several collections are called "${name}". Give the ID of one of them: ${ids}.`);
}
