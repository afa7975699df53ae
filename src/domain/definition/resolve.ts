// Turns a checked publish document into a definition: fills in defaults, takes identifiers from the published application
// or generates them, and turns references into IDs. Idempotent: resolved against its own result, a document yields the same.

import type { ArrayScheme, Collection, Column, ObjectScheme } from '../../wire/applications.ts';
import {
  type CollectionInput,
  type ColumnInput,
  DEFAULTS,
  type Definition,
  type PublishDocument,
  type ReferenceSchemeInput,
} from '../../wire/publish-document.ts';
import type { IdSource } from '../ids.ts';
import { type DocumentFinding, worded } from './findings.ts';
import { listed, type Problem, pointer, shown } from './problems.ts';
import { isReferenceType, type ReferenceLookup, type ReferenceResult, referenceFinder } from './references.ts';

/** With 36^7 short identifiers, this many collisions in a row mean that the source is broken. */
const ATTEMPTS_MAX = 100;

/** `current`: the published definition with the ID of the document. Returns only problems that its author can correct. */
export function resolveDocument(
  document: PublishDocument,
  current: Definition | undefined,
  ids: IdSource,
): Definition | { problems: Problem[] } {
  if (current && document.id !== undefined && document.id !== current.id) {
    throw new Error(`The document of ${document.id} was resolved against ${current.id}.`);
  }
  const identified = identify(document, current, ids);
  if ('problems' in identified) return identified;
  const completed = completeCollections(identified.collections);
  if ('problems' in completed) return completed;
  return {
    id: document.id ?? current?.id ?? ids.long('p'),
    name: document.name,
    organization: document.organization ?? DEFAULTS.organization,
    timeZone: document.timeZone ?? DEFAULTS.timeZone,
    plan: document.plan ?? DEFAULTS.plan,
    limits: { ...document.limits },
    sharedUsersModeEnabled: document.sharedUsersModeEnabled ?? DEFAULTS.switch,
    teamsModeEnabled: document.teamsModeEnabled ?? DEFAULTS.switch,
    pushNotificationsEnabled: document.pushNotificationsEnabled ?? DEFAULTS.switch,
    activityLogEnabled: document.activityLogEnabled ?? DEFAULTS.switch,
    maxAttachmentBytes: document.maxAttachmentBytes ?? DEFAULTS.maxAttachmentBytes,
    allowedOrigins: [...(document.allowedOrigins ?? [])],
    profiles: [...(document.profiles ?? [DEFAULTS.profile])],
    teams: [...(document.teams ?? [])],
    collections: completed.collections,
  };
}

type IdentifiedColumn = ColumnInput & { readonly id: string };
type IdentifiedCollection = Omit<CollectionInput, 'id' | 'columns'> & {
  readonly id: string;
  readonly columns: readonly IdentifiedColumn[];
};

function identify(
  document: PublishDocument,
  current: Definition | undefined,
  ids: IdSource,
): { collections: IdentifiedCollection[] } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const oldCollections = current?.collections ?? [];
  const oldColumns = oldCollections.flatMap(({ columns }) => columns);
  const newColumns = document.collections.flatMap(({ columns }) => columns);
  // IDs in the document are not matched by name: their former name may now belong to another item.
  const statedCollections = new Set(document.collections.flatMap(({ id }) => id ?? []));
  const statedColumns = new Set(newColumns.flatMap(({ id }) => id ?? []));
  const newCollectionId = freshIds(ids, 't', [...statedCollections, ...oldCollections.map(({ id }) => id)]);
  const newColumnId = freshIds(ids, 'c', [...statedColumns, ...oldColumns.map(({ id }) => id)]);

  const collections = document.collections.map((collection, index) => {
    const named = oldCollections.find(({ id, name }) => name === collection.name && !statedCollections.has(id));
    const id = collection.id ?? named?.id ?? newCollectionId();
    const candidates = oldCollections.find((old) => old.id === id)?.columns ?? [];
    const columns = collection.columns.map((column, columnIndex) => {
      if (column.id !== undefined) return { ...column, id: column.id };
      const matches = candidates.filter((old) => old.name === column.name && !statedColumns.has(old.id));
      if (matches.length > 1) {
        const reason = `matches several published columns; give it the "id" of one of them: ${listed(
          matches.map((old) => old.id),
          'or',
        )}`;
        problems.push({ path: pointer('/collections', index, 'columns', columnIndex, 'name'), reason });
      }
      return { ...column, id: matches[0]?.id ?? newColumnId() };
    });
    return { ...collection, id, columns };
  });
  return problems.length > 0 ? { problems } : { collections };
}

function freshIds(ids: IdSource, prefix: 't' | 'c', taken: readonly string[]): () => string {
  const used = new Set(taken);
  return () => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const id = ids.short(prefix);
      if (used.has(id)) continue;
      used.add(id);
      return id;
    }
    throw new Error(`No unused identifier with the prefix ${prefix} in ${ATTEMPTS_MAX} attempts.`);
  };
}

function completeCollections(
  collections: readonly IdentifiedCollection[],
): { collections: Collection[] } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const findReferred = referenceFinder(collections);
  const completed = collections.map((collection, index) => ({
    id: collection.id,
    name: collection.name,
    readAccessType: collection.readAccessType ?? DEFAULTS.accessType,
    writeAccessType: collection.writeAccessType ?? DEFAULTS.accessType,
    columns: collection.columns.flatMap((column, columnIndex) => {
      const result = completeColumn(
        column,
        pointer('/collections', index, 'columns', columnIndex, 'scheme'),
        findReferred,
      );
      if (!('problem' in result)) return [result];
      problems.push(worded(result.problem));
      return [];
    }),
  }));
  return problems.length > 0 ? { problems } : { collections: completed };
}

/** The document has been checked, so the scheme fits the type. */
function completeColumn(
  column: IdentifiedColumn,
  schemePath: string,
  findReferred: (lookup: ReferenceLookup) => ReferenceResult<IdentifiedCollection>,
): Column | { problem: DocumentFinding } {
  const { id, name, type } = column;
  const flags = {
    unique: column.unique ?? DEFAULTS.flag,
    sortable: column.sortable ?? DEFAULTS.flag,
    searchable: column.searchable ?? DEFAULTS.flag,
  };
  if (type === 'Object') return { id, name, type, scheme: copyKeys(column.scheme as ObjectScheme), ...flags };
  if (type === 'Array') return { id, name, type, scheme: copyElement(column.scheme as ArrayScheme), ...flags };
  if (!isReferenceType(type)) return { id, name, type, ...flags };
  const scheme = column.scheme as ReferenceSchemeInput;
  const referred = findReferred({ type, scheme, path: schemePath });
  if (referred === 'undecided') throw new Error(`The reference of column ${shown(name)} was not checked.`);
  if ('problem' in referred) return referred;
  const target = { collectionId: referred.collection.id, columnId: referred.column.id };
  return { id, name, type, scheme: target, ...flags };
}

const copyKeys = ({ keys }: ObjectScheme): ObjectScheme => ({ keys: keys.map(({ name, type }) => ({ name, type })) });

const copyElement = ({ element: { type, scheme } }: ArrayScheme): ArrayScheme => ({
  element: scheme ? { type, scheme: copyKeys(scheme) } : { type },
});
