// The rules of a publish document that its schema cannot express: uniqueness, existence, and which flags fit which type.
// Each rule reads a draft, skips members that are absent from it, and is independent of the others.

import type { ReferenceSchemeInput } from '../../wire/publish-document.ts';
import { VALUE_TYPES } from '../../wire/values.ts';
import { isTimeZone } from '../dates/time-zones.ts';
import { mayBeUnique, maySort } from '../values/value-types.ts';
import type { Draft, DraftCollection, DraftColumn, PlacedText } from './draft.ts';
import type { DocumentFinding } from './findings.ts';
import { listed, pointer, shown } from './problems.ts';
import { isReferenceType, referenceFinder } from './references.ts';

type Rule = (draft: Draft) => DocumentFinding[];

const names: Rule = (draft) => [
  ...nameProblems('/name', draft.name),
  ...nameProblems('/organization', draft.organization),
  ...[...draft.profiles, ...draft.teams].flatMap(({ path, text }) => nameProblems(path, text)),
  ...[...draft.collections, ...columnsOf(draft), ...columnsOf(draft).flatMap((column) => column.keys)].flatMap(
    ({ path, name }) => nameProblems(pointer(path, 'name'), name),
  ),
];

/** The schema refuses empty names. */
function nameProblems(path: string, name: string | undefined): DocumentFinding[] {
  if (name === undefined || name === '') return [];
  const problems: DocumentFinding[] = [];
  if (name.trim() === '') problems.push({ path, code: 'blank' });
  if (/\p{Cs}/u.test(name)) problems.push({ path, code: 'halfSurrogate' });
  if (/\p{Cc}/u.test(name)) problems.push({ path, code: 'controlCharacters' });
  return problems;
}

/** The name of an organization is a segment of its URL, where `.` and `..` have a meaning of their own. */
const organizationAddress: Rule = ({ organization }) =>
  organization === '.' || organization === '..' ? [{ path: '/organization', code: 'dots' }] : [];

const timeZone: Rule = ({ timeZone }) =>
  timeZone === undefined || timeZone === '' || isTimeZone(timeZone)
    ? []
    : [{ path: '/timeZone', code: 'notTimeZone', params: { found: shown(timeZone) } }];

const teams: Rule = (draft) => [
  ...repeated(draft.profiles),
  ...repeated(draft.teams),
  ...(draft.teamsModeEnabled && draft.teamsKnown && draft.teams.length === 0
    ? [{ path: '/teams', code: 'noTeam' as const }]
    : []),
];

/** A browser compares the text: what it would write differently would never match. */
const origins: Rule = ({ allowedOrigins }) => [
  ...repeated(allowedOrigins),
  ...allowedOrigins.flatMap(({ path, text }): DocumentFinding[] => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.host.includes('*')) {
      return text === '' ? [] : [{ path, code: 'notOrigin', params: { found: shown(text) } }];
    }
    return url.origin === text
      ? []
      : [{ path, code: 'moreThanOrigin', params: { origin: url.origin, found: shown(text) } }];
  }),
];

const identifiers: Rule = (draft) =>
  [draft.collections, columnsOf(draft)].flatMap((items) =>
    repeated(
      items.flatMap(({ path, id }) => (id === undefined ? [] : [{ path: pointer(path, 'id'), text: id }])),
      'repeatedId',
      { item: items === draft.collections ? 'collection' : 'column' },
    ),
  );

const collectionNames: Rule = (draft) =>
  repeated(
    draft.collections.flatMap(({ path, name }) =>
      name === undefined ? [] : [{ path: pointer(path, 'name'), text: name }],
    ),
    'repeatedCollection',
  );

/** Columns may share a name only if each has an ID; otherwise a later publish could not tell them apart. */
const columnNames: Rule = (draft) =>
  draft.collections.flatMap(({ columns }) => {
    const counts = new Map<string, number>();
    for (const { name } of columns) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    return columns.flatMap(({ path, name, idGiven }) => {
      const sharing = name === undefined ? 0 : (counts.get(name) ?? 0);
      if (sharing < 2 || idGiven) return [];
      return [{ path: pointer(path, 'name'), code: 'sharedName' as const, params: { count: sharing } }];
    });
  });

const keys: Rule = (draft) =>
  columnsOf(draft).flatMap((column) => [
    ...repeated(
      column.keys.flatMap(({ path, name }) =>
        name === undefined ? [] : [{ path: pointer(path, 'name'), text: name }],
      ),
    ),
    // A JSON reader that guards against prototype pollution refuses bodies with this member.
    ...column.keys.flatMap(({ path, name }) =>
      name === '__proto__' ? [{ path: pointer(path, 'name'), code: 'protoKey' as const }] : [],
    ),
  ]);

/** Columns of every type may be searchable. */
const flags: Rule = (draft) =>
  columnsOf(draft).flatMap((column) => [
    ...flagProblems(column, 'unique', mayBeUnique),
    ...flagProblems(column, 'sortable', maySort),
  ]);

function flagProblems(column: DraftColumn, flag: 'unique' | 'sortable', may: typeof mayBeUnique): DocumentFinding[] {
  if (!column[flag] || column.type === undefined || may(column.type)) return [];
  const allowed = listed(VALUE_TYPES.filter((type) => may(type)));
  return [{ path: pointer(column.path, flag), code: 'flagOfOtherTypes', params: { type: column.type, allowed } }];
}

const references: Rule = (draft) => {
  const findReferred = referenceFinder(draft.collections);
  return columnsOf(draft).flatMap(({ type, scheme, path }) => {
    if (!isReferenceType(type) || scheme === undefined) return [];
    const referred = findReferred({ type, scheme: soundReference(scheme), path: pointer(path, 'scheme') });
    return referred !== 'undecided' && 'problem' in referred ? [referred.problem] : [];
  });
};

/** Drops members that are not strings, which the schema has already refused. */
function soundReference(scheme: Readonly<Record<string, unknown>>): ReferenceSchemeInput {
  const members = ['collectionId', 'columnId', 'collection', 'column'];
  return Object.fromEntries(
    members.flatMap((name) => (typeof scheme[name] === 'string' ? [[name, scheme[name]]] : [])),
  );
}

const columnsOf = (draft: { readonly collections: readonly DraftCollection[] }): readonly DraftColumn[] =>
  draft.collections.flatMap((collection) => collection.columns);

/** One problem for each repetition, naming the path of the first occurrence. */
function repeated(
  texts: readonly PlacedText[],
  code: 'repeated' | 'repeatedId' | 'repeatedCollection' = 'repeated',
  params: DocumentFinding['params'] = {},
): DocumentFinding[] {
  const firstPaths = new Map<string, string>();
  return texts.flatMap(({ path, text }) => {
    const first = firstPaths.get(text);
    if (first !== undefined) return [{ path, code, params: { first, ...params } }];
    firstPaths.set(text, path);
    return [];
  });
}

export const DOCUMENT_RULES: readonly Rule[] = [
  names,
  organizationAddress,
  timeZone,
  teams,
  origins,
  identifiers,
  collectionNames,
  columnNames,
  keys,
  flags,
  references,
];
