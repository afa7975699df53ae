// Views of a collection: a user's own, and those that admins share with all. What the settings say is up to the client. Views
// show how records are presented and hold none, so they are not in the activity log.

import type { Context } from '../../context.ts';
import type { Caller } from '../../domain/people/access.ts';
import { fault } from '../../faults.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { assertGeneration } from '../../store/records/fence.ts';
import {
  deleteView,
  getView,
  type HeldViews,
  holdViews,
  insertView,
  listViews,
  lockView,
  type StoredView,
  updateView,
} from '../../store/views/views.ts';
import type { UserShort } from '../../wire/users.ts';
import {
  type NewView,
  OWN_VIEWS_MAX,
  SHARED_VIEWS_MAX,
  VIEW_SETTINGS_BYTES_MAX,
  type ViewUpdate,
} from '../../wire/views.ts';
import { type InCollection, inCollection } from '../in-collection.ts';

export interface ViewPlace {
  readonly collectionId: string;
  readonly viewId: string;
}

/** The JSON of each; the settings are not parsed for it. */
export async function list(context: Context, collectionId: string): Promise<string[]> {
  const { store, caller } = inCollection(context, collectionId);
  return (await listViews(store, collectionId, caller.id)).map(viewText);
}

export async function get(context: Context, place: ViewPlace): Promise<string> {
  const { store, caller } = inCollection(context, place.collectionId);
  return viewText(visible(await getView(store, place), place, caller));
}

export async function create(context: Context, collectionId: string, body: NewView): Promise<string> {
  const at = inCollection(context, collectionId);
  const { store, caller, ids } = at;
  const { name, shared = false } = body;
  if (shared) requireAdmin(caller);
  const view = { id: ids.long('v'), name: readName(name), shared, settings: writeSettings(body.settings) };
  await store.transaction(async (tx) => {
    const held = await hold(tx, at);
    if (held.own >= OWN_VIEWS_MAX) throw fault('TOO_MANY_VIEWS', { maximum: OWN_VIEWS_MAX, shared: false });
    if (shared) refuseShared(held);
    await tx.commitWith([insertView(tx.schema, { ...view, collectionId, ownerId: caller.id })]);
  });
  return viewText({ ...view, owner: caller });
}

export async function update(context: Context, place: ViewPlace, body: ViewUpdate): Promise<string> {
  const at = inCollection(context, place.collectionId);
  const { store, caller } = at;
  if (body.shared === true) requireAdmin(caller);
  const changed = { name: readName(body.name), settings: writeSettings(body.settings) };
  return store.transaction(async (tx) => {
    const held = await hold(tx, at);
    const before = writable(await lockView(tx, place), place, caller);
    const view = { ...before, ...changed, shared: body.shared ?? before.shared };
    if (view.shared) requireAdmin(caller);
    if (view.shared && !before.shared) refuseShared(held);
    await tx.commitWith([updateView(tx.schema, view)]);
    return viewText(view);
  });
}

export async function remove(context: Context, place: ViewPlace): Promise<void> {
  const { store, caller } = inCollection(context, place.collectionId);
  await store.transaction(async (tx) => {
    const { id } = writable(await lockView(tx, place), place, caller);
    await tx.commitWith([deleteView(tx.schema, id)]);
  });
}

const requireAdmin = ({ admin }: Caller): void => {
  if (!admin) throw fault('ADMIN_REQUIRED');
};

/** A view of another user that is not shared does not exist for the caller, admin or not. */
function visible(view: StoredView | undefined, { viewId }: ViewPlace, caller: Caller): StoredView {
  if (view === undefined || (!view.shared && view.owner.id !== caller.id)) throw fault('VIEW_NOT_FOUND', { viewId });
  return view;
}

function writable(found: StoredView | undefined, place: ViewPlace, caller: Caller): StoredView {
  const view = visible(found, place, caller);
  if (view.owner.id !== caller.id && !caller.admin) throw fault('FORBIDDEN');
  return view;
}

async function hold(tx: Transaction, { application, collection, caller }: InCollection): Promise<HeldViews> {
  const held = await holdViews(tx, collection.definition.id, caller.id);
  assertGeneration(held.fence, application.generation);
  if (!held.isUser) throw fault('USER_NOT_FOUND', { userId: caller.id });
  return held;
}

function refuseShared({ shared }: HeldViews): void {
  if (shared >= SHARED_VIEWS_MAX) throw fault('TOO_MANY_VIEWS', { maximum: SHARED_VIEWS_MAX, shared: true });
}

function readName(name: string): string {
  if (/\p{Cc}|\p{Cs}/u.test(name)) {
    throw fault('INVALID_BODY', { reason: 'must not contain control characters', path: '/name' });
  }
  return name;
}

function writeSettings(settings: object): string {
  const text = JSON.stringify(settings);
  if (Buffer.byteLength(text) <= VIEW_SETTINGS_BYTES_MAX) return text;
  const reason = `must have at most ${VIEW_SETTINGS_BYTES_MAX} bytes as JSON`;
  throw fault('INVALID_BODY', { reason, path: '/settings', maxBytes: VIEW_SETTINGS_BYTES_MAX });
}

function viewText({ id, name, shared, owner, settings }: Omit<StoredView, 'owner'> & { owner: UserShort }): string {
  const head = JSON.stringify({ id, name, shared, owner: { id: owner.id, name: owner.name } });
  return `${head.slice(0, -1)},"settings":${settings}}`;
}
