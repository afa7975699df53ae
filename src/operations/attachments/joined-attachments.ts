// Statements of attachments that travel together when several requests want the same of one application
// (store/database/joining).

import type { LogEntry } from '../../domain/activity/activity.ts';
import type { PreparedApplication, PreparedCollection } from '../../domain/definition/application.ts';
import { readScope } from '../../domain/people/access.ts';
import type { SubjectEntry } from '../../store/activity/activity.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import {
  type CompletedAttachment,
  completeAttachment,
  type Fetcher,
  fetchText,
  findFetchable,
  insertAttachment,
  type NewAttachment,
  type StoredAttachment,
} from '../../store/attachments/attachments.ts';
import { completeAttachments, insertAttachments } from '../../store/attachments/joined-statements.ts';
import { Joining, type Member } from '../../store/database/joining.ts';
import { counted } from '../../store/database/open-transaction.ts';
import type { Row } from '../../store/database/statements.ts';
import type { InCollection } from '../in-collection.ts';
import { type JoinedWrite, writeTogether } from '../write-together.ts';

/** The database serves two statements at once; a third would only find fewer members. */
const UNDER_WAY = 2;
const NO_ENTRIES = (): readonly SubjectEntry[] => [];

interface Announcement extends JoinedWrite {
  readonly row: NewAttachment;
}

interface Completion extends JoinedWrite {
  readonly done: CompletedAttachment;
}

interface Download extends JoinedWrite {
  readonly entry: LogEntry;
}

interface Joined {
  readonly announcements: Joining<Announcement, Row[]>;
  readonly completions: Joining<Completion, Row[]>;
  readonly downloads: Joining<Download, Row[]>;
}

const joinings = new WeakMap<PreparedApplication, Joined>();

function joinedOf({ application, store: { schema } }: InCollection): Joined {
  let joined = joinings.get(application);
  if (joined === undefined) {
    joined = joinedOn(schema);
    joinings.set(application, joined);
  }
  return joined;
}

const joinedOn = (schema: string): Joined => ({
  announcements: new Joining({
    underWayMax: UNDER_WAY,
    alone: ({ store, row }) => insertAttachment(store, row),
    together: (members) => {
      const rows = members.map(({ row }) => row);
      return writeTogether(members, insertAttachments(schema, rows), ({ row }) => row.id);
    },
  }),
  completions: new Joining({
    underWayMax: UNDER_WAY,
    alone: ({ store, done, entries }) => loggedWrite(store, completeAttachment(schema, done), entries()),
    together: (members) => {
      const done = members.map((member) => member.done);
      return writeTogether(members, completeAttachments(schema, done), (member) => member.done.id);
    },
  }),
  downloads: new Joining({
    underWayMax: UNDER_WAY,
    alone: ({ store, entry }) => loggedWrite(store, insertEntries(schema, [entry]), []),
    together: (members) => {
      const entries = members.map(({ entry }) => entry);
      return writeTogether(members, insertEntries(schema, entries), ({ entry }) => entry.id);
    },
  }),
});

/** As `insertAttachment`, for an upload in one request. */
export async function announceJoined(at: InCollection, row: NewAttachment): Promise<void> {
  const { store, scope } = at;
  await joinedOf(at).announcements.run({ store, scope, entries: NO_ENTRIES, row });
}

/** As `completeAttachment` with its activity entries, for an upload in one request. */
export function completeJoined(
  at: InCollection,
  done: CompletedAttachment,
  entries: readonly SubjectEntry[],
): Promise<Row[]> {
  const { store, scope } = at;
  return joinedOf(at).completions.run({ store, scope, entries: () => entries, done });
}

export async function logDownloadJoined(at: InCollection, entry: LogEntry): Promise<void> {
  const { store, scope } = at;
  await joinedOf(at).downloads.run({ store, scope, entries: NO_ENTRIES, entry });
}

interface Fetch extends Member, Pick<InCollection, 'store' | 'collection'> {
  readonly attachmentId: string;
  readonly fetcher: Fetcher;
}

/** A fetch that found nothing, as distinct from one that was not served. */
type Found = StoredAttachment | 'nothing';

const fetches = new WeakMap<PreparedCollection, Joining<Fetch, Found>>();

/** As `findFetchable` for one attachment. */
export async function fetchJoined(at: InCollection, attachmentId: string): Promise<StoredAttachment | undefined> {
  const { store, scope, collection } = at;
  let joining = fetches.get(collection);
  if (joining === undefined) {
    joining = new Joining({ underWayMax: UNDER_WAY, alone: fetchAlone, together: fetchTogether });
    fetches.set(collection, joining);
  }
  const found = await joining.run({ store, scope, collection, attachmentId, fetcher: fetcherOf(at) });
  return found === 'nothing' ? undefined : found;
}

export const fetcherOf = ({ caller, collection }: Pick<InCollection, 'caller' | 'collection'>): Fetcher => ({
  userId: caller.id,
  admin: caller.admin,
  readScope: readScope(collection.definition, caller),
});

async function fetchAlone({ store, collection, attachmentId, fetcher }: Fetch): Promise<Found> {
  const found = await findFetchable(store, collection, { ids: [attachmentId], fetcher });
  return found.get(attachmentId) ?? 'nothing';
}

/** One statement for each caller. A read may be repeated: whatever goes wrong, each member reads alone. */
async function fetchTogether(members: readonly Fetch[]): Promise<(Found | undefined)[]> {
  const byCaller = new Map<string, Fetch[]>();
  for (const member of members) {
    const caller = JSON.stringify(member.fetcher);
    const group = byCaller.get(caller);
    if (group === undefined) byCaller.set(caller, [member]);
    else group.push(member);
  }
  const found = new Map<Fetch, Found>();
  const fetchAll = async (group: readonly Fetch[]): Promise<void> => {
    const [{ store, collection, fetcher }] = group as [Fetch];
    const statement = { text: fetchText(store.schema, collection) };
    const ids = [...new Set(group.map(({ attachmentId }) => attachmentId))];
    const reading = findFetchable(store.joined(), collection, { ids, fetcher });
    for (const { scope } of group) counted(scope, [statement], reading).catch(() => undefined);
    const rows = await reading.catch(() => undefined);
    if (rows === undefined) return;
    for (const member of group) found.set(member, rows.get(member.attachmentId) ?? 'nothing');
  };
  await Promise.all([...byCaller.values()].map(fetchAll));
  return members.map((member) => found.get(member));
}
