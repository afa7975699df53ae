// An unchecked publish document, read as far as possible: members of the wrong type are absent. So the rules can check the
// valid parts of an invalid document, and all problems are reported at once. Nothing is refused here.

import { type IdentifierName, isIdentifier } from '../../wire/identifiers.ts';
import {
  COLLECTIONS_MAX,
  COLUMNS_MAX,
  KEYS_MAX,
  ORIGINS_MAX,
  PROFILES_MAX,
  TEAMS_MAX,
} from '../../wire/publish-document.ts';
import { VALUE_TYPES, type ValueTypeName } from '../../wire/values.ts';
import { pointer } from './problems.ts';

type Members = Readonly<Record<string, unknown>>;

/** A string of the document and its path. */
export interface PlacedText {
  readonly path: string;
  readonly text: string;
}

export interface DraftKey {
  readonly path: string;
  readonly name: string | undefined;
}

export interface DraftColumn {
  readonly path: string;
  /** Undefined also if the given ID is malformed; see `idGiven`. */
  readonly id: string | undefined;
  readonly idGiven: boolean;
  readonly name: string | undefined;
  readonly type: ValueTypeName | undefined;
  readonly scheme: Members | undefined;
  /** The keys of an Object column, or of an Array column's Object elements. */
  readonly keys: readonly DraftKey[];
  readonly unique: boolean;
  readonly sortable: boolean;
  readonly searchable: boolean;
}

export interface DraftCollection {
  readonly path: string;
  readonly id: string | undefined;
  readonly idGiven: boolean;
  readonly name: string | undefined;
  readonly columns: readonly DraftColumn[];
}

export interface Draft {
  readonly name: string | undefined;
  readonly organization: string | undefined;
  readonly timeZone: string | undefined;
  readonly teamsModeEnabled: boolean;
  readonly allowedOrigins: readonly PlacedText[];
  readonly profiles: readonly PlacedText[];
  readonly teams: readonly PlacedText[];
  /** False if `teams` is present but not a list, so that the number of teams is unknown. */
  readonly teamsKnown: boolean;
  readonly collections: readonly DraftCollection[];
}

export function readDraft(input: unknown): Draft {
  const document = members(input) ?? {};
  return {
    name: text(document.name),
    organization: text(document.organization),
    timeZone: text(document.timeZone),
    teamsModeEnabled: document.teamsModeEnabled === true,
    allowedOrigins: placedTexts(list(document.allowedOrigins, ORIGINS_MAX), '/allowedOrigins'),
    profiles: placedTexts(list(document.profiles, PROFILES_MAX), '/profiles'),
    teams: placedTexts(list(document.teams, TEAMS_MAX), '/teams'),
    teamsKnown: document.teams === undefined || Array.isArray(document.teams),
    collections: list(document.collections, COLLECTIONS_MAX).map((item, index) =>
      readCollection(item, pointer('/collections', index)),
    ),
  };
}

function readCollection(input: unknown, path: string): DraftCollection {
  const collection = members(input) ?? {};
  return {
    path,
    id: identifierText('collectionId', collection.id),
    idGiven: collection.id !== undefined,
    name: text(collection.name),
    columns: list(collection.columns, COLUMNS_MAX).map((item, index) =>
      readColumn(item, pointer(path, 'columns', index)),
    ),
  };
}

function readColumn(input: unknown, path: string): DraftColumn {
  const column = members(input) ?? {};
  const type = VALUE_TYPES.find((known) => known === column.type);
  const scheme = members(column.scheme);
  return {
    path,
    id: identifierText('columnId', column.id),
    idGiven: column.id !== undefined,
    name: text(column.name),
    type,
    scheme,
    keys: readKeys(type, scheme, pointer(path, 'scheme')),
    unique: column.unique === true,
    sortable: column.sortable === true,
    searchable: column.searchable === true,
  };
}

function readKeys(type: ValueTypeName | undefined, scheme: Members | undefined, path: string): DraftKey[] {
  if (type === 'Array') {
    const element = members(scheme?.element);
    if (element?.type !== 'Object') return [];
    return readKeys('Object', members(element.scheme), pointer(path, 'element', 'scheme'));
  }
  if (type !== 'Object') return [];
  return list(scheme?.keys, KEYS_MAX).map((key, index) => ({
    path: pointer(path, 'keys', index),
    name: text(members(key)?.name),
  }));
}

function placedTexts(items: readonly unknown[], path: string): PlacedText[] {
  return items.flatMap((item, index) => (typeof item === 'string' ? [{ path: pointer(path, index), text: item }] : []));
}

const text = (input: unknown): string | undefined => (typeof input === 'string' ? input : undefined);
/** Cuts a list at its limit, to bound the cost of the rules; the schema refuses longer lists. */
const list = (input: unknown, max: number): readonly unknown[] => (Array.isArray(input) ? input.slice(0, max) : []);
const members = (input: unknown): Members | undefined =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Members) : undefined;
const identifierText = (name: IdentifierName, input: unknown): string | undefined =>
  isIdentifier(name, input) ? input : undefined;
