// Changes of cells on their way to the server. A change shows at once; what the server refuses, what others changed
// meanwhile and what did not arrive stays at its cell until the person decides. Nobody's change is overwritten unseen: a
// value is stored only over the value that the person saw.

import { CartularyError } from '../../../../client/src/errors.ts';
import type { RawRecord, RawValue } from '../../../../client/src/shapes.ts';
import { type Change, History } from './history.ts';
import { type Reason, type Refusal, refusalOf } from './reason.ts';
import { sameValue } from './same-value.ts';

export interface CellEdit {
  /** Null takes the value away. */
  readonly wanted: RawValue | null;
  /** What the person saw. */
  readonly base: RawValue | null;
  readonly state: 'storing' | 'unsent' | 'refused' | 'conflict';
  readonly reason?: Reason;
  /** What somebody else has stored meanwhile. */
  readonly theirs?: { readonly value: RawValue | null; readonly by: string };
  /** Undoing gives way to any other change. */
  readonly undoing?: boolean;
}

export type EditState = CellEdit['state'];
type Cells = ReadonlyMap<string, CellEdit>;

/** A changed cell of a record that the person sees. */
export interface CellChange {
  readonly record: RawRecord;
  readonly columnId: string;
  readonly wanted: RawValue | null;
}

export interface Server {
  /** Stores values in a record that still has the hash. */
  send(record: RawRecord, values: Readonly<Record<string, RawValue | null>>): Promise<RawRecord>;
  read(recordId: string): Promise<RawRecord>;
  /** The record as it is now known here, however it came. */
  known(recordId: string): RawRecord | undefined;
  /** Shows a record that came from the server. */
  show(record: RawRecord): void;
  /** Reads again what is shown: it may be older than what is stored. */
  refresh(): void;
  /** Hears why a change did not arrive. */
  failed(error: unknown): void;
}

/** Kept for the person in the browser. */
export interface Keeping {
  read(): readonly KeptEdit[];
  /** Called at every change; writes when there is time. */
  write(edits: () => readonly KeptEdit[]): void;
}

export interface KeptEdit extends CellEdit {
  readonly recordId: string;
  readonly columnId: string;
}

export interface Counts extends Readonly<Record<EditState, number>> {
  /** Of the changes that were begun together, until none is under way. */
  readonly done: number;
  /** Cells whose undoing was refused, since the last step. */
  readonly notUndone: number;
}

/** More at once gain little: the server shares its time among its users. */
const AT_ONCE = 4;
/** Somebody who changes a record so often meanwhile wins for now. */
const ATTEMPTS_MAX = 5;

export class CellEdits {
  readonly #server: Server;
  readonly #keeping: Keeping;
  readonly #history = new History();
  readonly #records = new Map<string, Cells>();
  readonly #latest = new Map<string, RawRecord>();
  readonly #queue = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #done = 0;
  #notUndone = 0;
  #counts: Counts | undefined;

  constructor(server: Server, keeping: Keeping) {
    this.#server = server;
    this.#keeping = keeping;
    for (const { recordId, columnId, ...edit } of keeping.read()) this.#put(recordId, columnId, edit);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly counts = (): Counts => {
    this.#counts ??= this.#count();
    return this.#counts;
  };

  /** The same map until an edit of the record changes. */
  of(recordId: string): Cells | undefined {
    return this.#records.get(recordId);
  }

  /** As the cell shows it. */
  value(record: RawRecord, columnId: string): RawValue | undefined {
    const edit = this.of(record.id)?.get(columnId);
    if (edit === undefined || edit.state === 'refused') return record.values[columnId];
    return edit.wanted ?? undefined;
  }

  /** One step of the person: a cell, or all cells of a paste. */
  change(changes: readonly CellChange[]): void {
    const step: Change[] = [];
    for (const { record, columnId, wanted } of changes) {
      const before = this.value(record, columnId) ?? null;
      this.#latest.set(record.id, newest(this.#latest.get(record.id), record));
      if (this.#set(record.id, columnId, wanted, before)) {
        step.push({ recordId: record.id, columnId, before, after: wanted });
      }
    }
    if (step.length > 0) this.#history.add(step);
    this.#notUndone = 0;
    this.#go();
  }

  /** A value that was not even sent, with the reason at its cell. */
  refuse(
    recordId: string,
    columnId: string,
    edit: Pick<CellEdit, 'base' | 'wanted'> & { readonly reason: Reason },
  ): void {
    const now = this.of(recordId)?.get(columnId);
    // A change that is on its way is worth more.
    if (now !== undefined && now.state !== 'refused') return;
    this.#put(recordId, columnId, { ...edit, state: 'refused' });
    this.#changed();
  }

  /** Whether there was something to undo. */
  undo(): boolean {
    return this.#replay(this.#history.undo());
  }

  redo(): boolean {
    return this.#replay(this.#history.redo());
  }

  /** Sends again what did not arrive. */
  retry(): void {
    for (const [recordId, cells] of this.#records)
      for (const [columnId, edit] of cells) if (edit.state === 'unsent') this.#send(recordId, columnId, edit);
    this.#go();
  }

  /** Sends again what did not arrive during this visit, because the server was away: it is back. */
  resume(): void {
    for (const [recordId, cells] of this.#records)
      for (const [columnId, edit] of cells)
        if (edit.state === 'unsent' && (edit.reason?.kind === 'unreachable' || edit.reason?.kind === 'busy'))
          this.#send(recordId, columnId, edit);
    this.#go();
  }

  /** The person prefers what is stored. */
  discard(recordId: string, columnId: string): void {
    const edit = this.of(recordId)?.get(columnId);
    if (edit === undefined) return;
    this.#drop(recordId, columnId, edit);
    // It may have arrived all the same, with the reply lost.
    if (edit.state === 'unsent') this.#server.refresh();
    this.#changed();
  }

  discardAll(state: EditState): void {
    for (const [recordId, cells] of [...this.#records])
      for (const [columnId, edit] of cells) if (edit.state === state) this.#drop(recordId, columnId, edit);
    if (state === 'unsent') this.#server.refresh();
    this.#changed();
  }

  #drop(recordId: string, columnId: string, { wanted }: CellEdit): void {
    this.#history.drop(recordId, columnId, wanted);
    this.#remove(recordId, columnId);
  }

  /** The person has seen the other value and prefers their own. */
  keep(recordId: string, columnId: string): void {
    const edit = this.of(recordId)?.get(columnId);
    if (edit?.theirs === undefined) return;
    this.#send(recordId, columnId, { ...edit, base: edit.theirs.value });
    this.#go();
  }

  /** The first cell with an edit in the state. */
  find(state: EditState): { readonly recordId: string; readonly columnId: string } | undefined {
    for (const [recordId, cells] of this.#records)
      for (const [columnId, edit] of cells) if (edit.state === state) return { recordId, columnId };
    return undefined;
  }

  #replay(step: readonly Change[] | undefined): boolean {
    if (step === undefined) return false;
    this.#notUndone = 0;
    for (const { recordId, columnId, before, after } of step) {
      const edit = this.of(recordId)?.get(columnId);
      const record = newest(this.#latest.get(recordId), this.#server.known(recordId));
      const shown = edit === undefined || edit.state === 'refused' ? record?.values[columnId] : edit.wanted;
      if ((record === undefined && edit === undefined) || !sameValue(shown, before)) {
        this.#notUndone += 1;
        continue;
      }
      if (record !== undefined) this.#latest.set(recordId, record);
      this.#set(recordId, columnId, after, before, true);
    }
    this.#go();
    return true;
  }

  /** False when nothing changes. */
  #set(recordId: string, columnId: string, wanted: RawValue | null, before: RawValue | null, undoing = false): boolean {
    const edit = this.of(recordId)?.get(columnId);
    const pending = edit !== undefined && edit.state !== 'refused' ? edit : undefined;
    if (sameValue(wanted, before) && pending?.state !== 'conflict') {
      if (edit?.state === 'refused') this.#remove(recordId, columnId);
      return false;
    }
    // What others stored was seen when the conflict was shown.
    const base = pending === undefined ? before : pending.theirs === undefined ? pending.base : pending.theirs.value;
    if (sameValue(wanted, base) && pending !== undefined && !this.#busy.has(recordId)) {
      this.#remove(recordId, columnId);
      return true;
    }
    this.#send(recordId, columnId, { wanted, base, undoing });
    return true;
  }

  #send(
    recordId: string,
    columnId: string,
    { wanted, base, undoing }: Pick<CellEdit, 'wanted' | 'base' | 'undoing'>,
  ): void {
    this.#put(recordId, columnId, { wanted, base, state: 'storing', ...(undoing === true ? { undoing } : {}) });
    this.#queue.add(recordId);
  }

  #put(recordId: string, columnId: string, edit: CellEdit): void {
    this.#records.set(recordId, new Map(this.of(recordId)).set(columnId, edit));
  }

  #remove(recordId: string, columnId: string): void {
    const cells = new Map(this.of(recordId));
    cells.delete(columnId);
    if (cells.size > 0) this.#records.set(recordId, cells);
    else this.#records.delete(recordId);
  }

  #go(): void {
    this.#changed();
    for (const recordId of this.#queue) {
      if (this.#busy.size >= AT_ONCE) return;
      if (this.#busy.has(recordId)) continue;
      this.#queue.delete(recordId);
      this.#busy.add(recordId);
      void this.#store(recordId).finally(() => {
        this.#busy.delete(recordId);
        if (this.#storing(recordId).length > 0) this.#queue.add(recordId);
        if (this.#busy.size === 0 && this.#queue.size === 0) this.#done = 0;
        this.#go();
      });
    }
  }

  #storing(recordId: string): readonly (readonly [string, CellEdit])[] {
    return [...(this.of(recordId) ?? [])].filter(([, { state }]) => state === 'storing');
  }

  /** One request after the other for a record: each needs the hash that the one before left. */
  async #store(recordId: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      let sent: readonly (readonly [string, CellEdit])[] = [];
      try {
        const record = this.#latest.get(recordId) ?? (await this.#reread(recordId));
        sent = this.#due(record);
        if (sent.length === 0) return;
        const values = Object.fromEntries(sent.map(([columnId, { wanted }]) => [columnId, wanted]));
        this.#stored(await this.#server.send(record, values), sent);
        return;
      } catch (error) {
        if (error instanceof CartularyError && error.status === 412) this.#latest.delete(recordId);
        else {
          this.#refused(recordId, refusalOf(error), sent.length > 0 ? sent : this.#storing(recordId));
          this.#server.failed(error);
          return;
        }
      }
    }
    this.#refused(recordId, { reason: { kind: 'busy' }, passing: true }, this.#storing(recordId));
  }

  async #reread(recordId: string): Promise<RawRecord> {
    const record = await this.#server.read(recordId);
    this.#latest.set(recordId, record);
    this.#server.show(record);
    return record;
  }

  /** What is to be sent, without what is there already and what somebody else has changed. */
  #due(record: RawRecord): readonly (readonly [string, CellEdit])[] {
    return this.#storing(record.id).filter(([columnId, edit]) => {
      const now = record.values[columnId] ?? null;
      if (sameValue(now, edit.wanted)) {
        this.#remove(record.id, columnId);
        return false;
      }
      if (sameValue(now, edit.base)) return true;
      if (edit.undoing === true) {
        this.#notUndone += 1;
        this.#remove(record.id, columnId);
      } else {
        const theirs = { value: now, by: record.updatedBy.name };
        this.#put(record.id, columnId, { ...edit, state: 'conflict', theirs });
      }
      return false;
    });
  }

  #stored(record: RawRecord, sent: readonly (readonly [string, CellEdit])[]): void {
    this.#latest.set(record.id, record);
    this.#done += sent.length;
    for (const [columnId, edit] of sent) {
      const now = this.of(record.id)?.get(columnId);
      if (now === edit) this.#remove(record.id, columnId);
      // Changed again meanwhile, over what has just been stored.
      else if (now !== undefined) this.#put(record.id, columnId, { ...now, base: edit.wanted });
    }
    this.#server.show(record);
  }

  #refused(
    recordId: string,
    { reason, passing, columns }: Refusal,
    sent: readonly (readonly [string, CellEdit])[],
  ): void {
    const named = sent.filter(([columnId]) => columns?.includes(columnId));
    for (const [columnId, edit] of named.length > 0 ? named : sent) {
      const now = this.of(recordId)?.get(columnId);
      if (now === undefined) continue;
      this.#put(recordId, columnId, { ...now, state: passing ? 'unsent' : 'refused', reason });
      if (!passing) this.#history.drop(recordId, columnId, edit.wanted);
    }
    if (reason.kind !== 'unreachable') return;
    // The others would not arrive either: they wait until the server is back.
    for (const other of this.#queue) {
      for (const [columnId, edit] of this.#storing(other))
        this.#put(other, columnId, { ...edit, state: 'unsent', reason });
    }
    this.#queue.clear();
  }

  #count(): Counts {
    const counts = { storing: 0, unsent: 0, refused: 0, conflict: 0, done: this.#done, notUndone: this.#notUndone };
    for (const cells of this.#records.values()) for (const { state } of cells.values()) counts[state] += 1;
    return counts;
  }

  #changed(): void {
    this.#counts = undefined;
    this.#keeping.write(() =>
      [...this.#records].flatMap(([recordId, cells]) =>
        [...cells].map(([columnId, edit]) => ({ recordId, columnId, ...edit })),
      ),
    );
    for (const listener of this.#listeners) listener();
  }
}

function newest<Known extends RawRecord | undefined>(one: RawRecord | undefined, other: Known): RawRecord | Known {
  if (one === undefined || other === undefined) return one ?? other;
  return one.updatedAt >= other.updatedAt ? one : other;
}
