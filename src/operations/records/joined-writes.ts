// Single creates, updates and deletes, which travel together when several requests want the same of one collection
// (store/database/joining). Each comes with its activity entries, and is acknowledged after the commit that carried it.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import { loggedWrite, pacedLocks, type SubjectEntry } from '../../store/activity/logged-write.ts';
import type { Engine, Writer } from '../../store/database/handles.ts';
import { Joining } from '../../store/database/joining.ts';
import type { Row } from '../../store/database/statements.ts';
import type { Requester } from '../../store/records/joined-reads.ts';
import {
  insertStatement,
  type JoinedCreate,
  type JoinedRemove,
  type JoinedReplace,
  joinedTexts,
  removeStatement,
  replaceStatement,
} from '../../store/records/joined-statements.ts';
import { LONG_AMONG_OTHERS_BYTES } from '../../store/records/long-records.ts';
import {
  type Conditions,
  insertRecords,
  type RecordRow,
  type Replacement,
  removeRecord,
  replaceRecord,
  type Table,
} from '../../store/records/records.ts';
import { type JoinedWrite, writeTogether } from '../write-together.ts';

/** The database serves two statements at once; a third would only find fewer members. */
const CREATES_UNDER_WAY = 2;
/** Two statements that change shared rows in different orders would wait for each other. */
const CHANGES_UNDER_WAY = 1;

type Write = Requester & JoinedWrite;

type Create = Write & JoinedCreate;
type Replace = Write & JoinedReplace;
type Remove = Write & JoinedRemove;

/** The identifier of the record, or no row if the definition is stale. */
export function insertJoined(at: Requester, row: RecordRow, entries: readonly SubjectEntry[]): Promise<Row[]> {
  const { store, scope, table } = at;
  const create = { store, scope, table, row, entries };
  return isLong(row.rec) ? insertAlone(create) : joinedOf(table, store).creates.run(create);
}

/** The identifier and the new text; no row if the record does not fulfil the conditions or the definition is stale. */
export function replaceJoined(
  at: Requester,
  { replacement, conditions }: { replacement: Replacement; conditions: Conditions },
  entries: readonly SubjectEntry[],
): Promise<Row[]> {
  const { store, scope, table } = at;
  const replace = { store, scope, table, replacement, conditions, entries };
  return isLong(replacement.tailPart) ? replaceAlone(replace) : joinedOf(table, store).replacements.run(replace);
}

/** The identifier; no row if the record does not fulfil the conditions or the definition is stale. */
export function removeJoined(
  at: Requester,
  { recordId, conditions }: { recordId: string; conditions: Conditions },
  entries: readonly SubjectEntry[],
): Promise<Row[]> {
  const { store, scope, table } = at;
  return joinedOf(table, store).removals.run({ store, scope, table, recordId, conditions, entries });
}

/** In UTF-16 units. Long texts would make the other members wait. */
const isLong = (text: string): boolean => text.length > LONG_AMONG_OTHERS_BYTES;

const insertAlone = ({ store, table, row, entries }: Create) =>
  loggedWrite(store, insertRecords(table, [row]), entries);

const replaceAlone = ({ store, table, replacement, conditions, entries }: Replace) =>
  loggedWrite(store, replaceRecord(table, replacement, conditions), entries);

const removeAlone = ({ store, table, recordId, conditions, entries }: Remove) =>
  loggedWrite(store, removeRecord(table, recordId, conditions), entries);

interface Joined {
  readonly creates: Joining<Create, Row[]>;
  readonly replacements: Joining<Replace, Row[]>;
  readonly removals: Joining<Remove, Row[]>;
}

/** By generation: a statement names the one that its members were prepared for. */
const joinings = new WeakMap<PreparedCollection, { readonly generation: number; readonly joined: Joined }>();

function joinedOf({ schema, collection, generation }: Table, { engine }: Writer): Joined {
  let found = joinings.get(collection);
  if (found?.generation !== generation) {
    found = { generation, joined: joinedOn(schema, collection, engine) };
    joinings.set(collection, found);
  }
  return found.joined;
}

function joinedOn(schema: string, collection: PreparedCollection, engine: Engine): Joined {
  const statements = joinedTexts(schema, collection, pacedLocks(engine));
  return {
    creates: new Joining({
      underWayMax: CREATES_UNDER_WAY,
      alone: insertAlone,
      together: (members) => writeTogether(members, insertStatement(statements.insert, members), ({ row }) => row.id),
    }),
    replacements: new Joining({
      underWayMax: CHANGES_UNDER_WAY,
      alone: replaceAlone,
      together: (members) => {
        const sorted = inOrderOf(members, ({ replacement }) => replacement.id);
        return writeTogether(
          members,
          replaceStatement(statements.replace, sorted),
          ({ replacement }) => replacement.id,
        );
      },
      keyOf: ({ replacement }) => replacement.id,
    }),
    removals: new Joining({
      underWayMax: CHANGES_UNDER_WAY,
      alone: removeAlone,
      together: (members) => {
        const sorted = inOrderOf(members, ({ recordId }) => recordId);
        return writeTogether(members, removeStatement(statements.remove, sorted), ({ recordId }) => recordId);
      },
      keyOf: ({ recordId }) => recordId,
    }),
  };
}

/** Rows are locked in the order of their identifiers, as everywhere (store/records/records). */
const inOrderOf = <M>(members: readonly M[], idOf: (member: M) => string): M[] =>
  members.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
