// The targets of values: users, attachments and records, looked up for a whole request at once. A target that does not
// exist, or that the caller may not read, is accepted if the record already holds it in that column.

import { readScope } from '../../domain/people/access.ts';
import type { LookupTarget } from '../../domain/values/value-type.ts';
import { fault } from '../../faults.ts';
import { keepAttachments, type StoredAttachment } from '../../store/attachments/attachments.ts';
import { userNames } from '../../store/people/users.ts';
import { readReferred } from '../../store/records/references.ts';
import type { Value, Values } from '../../wire/values.ts';
import { fetchable } from '../attachments/attachments.ts';
import type { InCollection } from '../in-collection.ts';

export interface FoundTargets {
  readonly users: ReadonlyMap<string, string>;
  /** `<collectionId>/<recordId>` of records that exist and that the caller may read. */
  readonly records: ReadonlySet<string>;
  /** Attachments of this collection that the caller may fetch, including those whose bytes are still to be uploaded. */
  readonly attachments: ReadonlyMap<string, StoredAttachment>;
}

const NOTHING: FoundTargets = { users: new Map(), records: new Set(), attachments: new Map() };

/** `creatorIds` are looked up along with the targets. */
export async function findTargets(
  at: InCollection,
  targets: readonly LookupTarget[],
  creatorIds: readonly string[] = [],
): Promise<FoundTargets> {
  if (targets.length === 0 && creatorIds.length === 0) return NOTHING;
  const userIds = new Set(creatorIds);
  const attachmentIds = new Set<string>();
  const recordIds = new Map<string, Set<string>>();
  for (const target of targets) {
    if (target.kind === 'user') userIds.add(target.id);
    if (target.kind === 'attachment') attachmentIds.add(target.id);
    if (target.kind === 'record') {
      const ids = recordIds.get(target.collectionId) ?? new Set();
      recordIds.set(target.collectionId, ids.add(target.id));
    }
  }
  const referrals = [...recordIds].flatMap(([collectionId, ids]) => {
    const collection = at.application.collections.get(collectionId);
    if (collection === undefined) return [];
    return {
      collectionId,
      columnIds: [],
      recordIds: [...ids],
      scope: readScope(collection.definition, at.caller),
    };
  });
  const [users, referred, attachments] = await Promise.all([
    userIds.size === 0 ? NOTHING.users : userNames(at.store, [...userIds]),
    referrals.length === 0 ? undefined : readReferred(at.store, referrals),
    attachmentIds.size === 0 ? NOTHING.attachments : holdable(at, [...attachmentIds]),
  ]);
  const records = new Set<string>();
  for (const [collectionId, found] of referred ?? [])
    for (const id of found.keys()) records.add(`${collectionId}/${id}`);
  return { users, records, attachments };
}

/** Keeps the sweep from deleting attachments before the record that holds them is written. */
async function holdable(at: InCollection, ids: readonly string[]): Promise<FoundTargets['attachments']> {
  const found = await fetchable(at, ids);
  const unheld = [...found.values()].filter((attachment) => attachment.unheld).map(({ id }) => id);
  if (unheld.length === 0) return found;
  const left = new Set(await keepAttachments(at.store.repeatable, unheld));
  for (const id of unheld) if (!left.has(id)) found.delete(id);
  return found;
}

export const isFound = (found: FoundTargets, target: LookupTarget): boolean => {
  if (target.kind === 'user') return found.users.has(target.id);
  if (target.kind === 'record') return found.records.has(`${target.collectionId}/${target.id}`);
  return found.attachments.has(target.id);
};

/**
 * Completes each target with what the server stores about it; INVALID_VALUE for the first that is missing. `held` are
 * the current values of the record.
 */
export function completeTargets(targets: readonly LookupTarget[], found: FoundTargets, held: Values = {}): void {
  for (const target of targets) {
    if (isFound(found, target)) {
      if (target.kind === 'user') target.value.name = found.users.get(target.id) ?? '';
      if (target.kind === 'attachment') Object.assign(target.value, attachmentMembers(found, target.id));
      continue;
    }
    const same = heldTarget(held[target.columnId], target);
    if (same === undefined) throw missing(target);
    Object.assign(target.value, same);
  }
}

function attachmentMembers({ attachments }: FoundTargets, id: string) {
  const { name = '', contentType = '', size = 0 } = attachments.get(id) ?? {};
  return { name, contentType, size };
}

function heldTarget(value: Value | undefined, target: LookupTarget): Value | undefined {
  if (value === undefined) return undefined;
  if (value.type === 'Object') return firstHeld(Object.values(value.value), target);
  if (value.type === 'Array') return firstHeld(value.value, target);
  const id = 'recordId' in value ? value.recordId : 'id' in value ? value.id : undefined;
  return value.type === target.value.type && id === target.id ? value : undefined;
}

function firstHeld(values: readonly Value[], target: LookupTarget): Value | undefined {
  for (const value of values) {
    const same = heldTarget(value, target);
    if (same !== undefined) return same;
  }
  return undefined;
}

const KINDS = {
  user: 'user',
  attachment: 'attachment of this collection',
  record: 'record of the referred collection',
};

function missing({ kind, columnId, path, id }: LookupTarget) {
  return fault('INVALID_VALUE', { columnId, reason: `there is no ${KINDS[kind]} with the ID ${id}`, path });
}
