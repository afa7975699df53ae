// What queries are asked of: collections, their records and who may read them, in plain memory, with references
// resolved for a caller when they are looked at.

export interface User {
  readonly id: string;
  readonly name: string;
}
export interface Caller extends User {
  readonly admin: boolean;
}

export type Atom =
  | { readonly type: 'String' | 'DateTime' | 'Date' | 'Time'; readonly value: string }
  | { readonly type: 'Number'; readonly value: number }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'Location'; readonly latitude: number; readonly longitude: number; readonly altitude?: number }
  | ({ readonly type: 'User' } & User);
export type AtomType = Atom['type'];
export interface ObjectValue {
  readonly type: 'Object';
  readonly value: Readonly<Record<string, Atom>>;
}
export interface ArrayValue {
  readonly type: 'Array';
  readonly value: readonly (Atom | ObjectValue)[];
}
export interface ReferenceValue {
  readonly type: 'ReferenceString' | 'ReferenceNumber' | 'ReferenceUser';
  readonly collectionId: string;
  readonly columnId: string;
  readonly recordId: string;
}
export type Value = Atom | ObjectValue | ArrayValue | ReferenceValue;
export type Values = Readonly<Record<string, Value>>;

export interface Key {
  readonly name: string;
  readonly type: AtomType;
}
export interface Scheme {
  readonly keys?: readonly Key[];
  readonly element?: { readonly type: AtomType | 'Object'; readonly scheme?: { readonly keys: readonly Key[] } };
  readonly collectionId?: string;
  readonly columnId?: string;
}
export interface Column {
  readonly id: string;
  readonly name: string;
  readonly type: Value['type'];
  readonly scheme?: Scheme;
  readonly sortable?: boolean;
  readonly searchable?: boolean;
}

type AccessType = 'everyone' | 'creatorOnly';
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly readAccessType: AccessType;
  readonly writeAccessType: AccessType;
  readonly columns: readonly Column[];
}

export interface StoredRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: User;
  readonly updatedBy: User;
  readonly values: Values;
}

export class World {
  /** Goes up with every change. */
  version = 0;
  readonly #collections = new Map<string, { collection: Collection; records: Map<string, StoredRecord> }>();

  constructor(collections: readonly Collection[]) {
    for (const collection of collections) this.#collections.set(collection.id, { collection, records: new Map() });
  }

  #of(collectionId: string) {
    const found = this.#collections.get(collectionId);
    if (found === undefined) throw new Error(`no collection ${collectionId}`);
    return found;
  }

  put(collectionId: string, record: StoredRecord): void {
    this.version += 1;
    this.#of(collectionId).records.set(record.id, record);
  }

  remove(collectionId: string, recordId: string): void {
    this.version += 1;
    this.#of(collectionId).records.delete(recordId);
  }

  all(collectionId: string): StoredRecord[] {
    return [...this.#of(collectionId).records.values()];
  }

  readable(collectionId: string, caller: Caller): StoredRecord[] {
    const { collection, records } = this.#of(collectionId);
    return [...records.values()].filter((record) => mayRead(collection, record, caller));
  }

  writable(collectionId: string, caller: Caller): StoredRecord[] {
    const { collection } = this.#of(collectionId);
    const open = caller.admin || collection.writeAccessType === 'everyone';
    return this.readable(collectionId, caller).filter((record) => open || record.createdBy.id === caller.id);
  }

  /** The live value behind a reference; undefined when it is gone, has no value, or is not for the caller. */
  resolve({ collectionId, columnId, recordId }: ReferenceValue, caller: Caller): Atom | undefined {
    const { collection, records } = this.#of(collectionId);
    const record = records.get(recordId);
    if (record === undefined || !mayRead(collection, record, caller)) return undefined;
    return record.values[columnId] as Atom | undefined;
  }
}

function mayRead(collection: Collection, record: StoredRecord, caller: Caller): boolean {
  return caller.admin || collection.readAccessType === 'everyone' || record.createdBy.id === caller.id;
}

/** Everything that the answer depends on besides the query and the record. */
export interface Setting {
  readonly world: World;
  readonly columns: readonly Column[];
  readonly caller: Caller;
  /** Name of the tz database. */
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}
