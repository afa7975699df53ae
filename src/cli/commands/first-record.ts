// The request that a reader can paste after publishing: a record in the first collection of their own application, and the
// commands that get the user and the token for it.

import type { Application, Collection, Column } from '../../wire/applications.ts';
import type { SimpleTypeName } from '../../wire/values.ts';
import { programName, quoted } from '../program-name.ts';

type Sample = { readonly type: string; readonly [member: string]: unknown };

/** Without those that name another object, which the reader does not have yet. */
const SAMPLES: Readonly<Partial<Record<SimpleTypeName, Sample>>> = {
  String: { type: 'String', value: 'a text' },
  Number: { type: 'Number', value: 1 },
  Boolean: { type: 'Boolean', value: true },
  DateTime: { type: 'DateTime', value: '2026-03-02T08:15:30Z' },
  Date: { type: 'Date', value: '2026-03-02' },
  Time: { type: 'Time', value: '08:15:30' },
  Location: { type: 'Location', latitude: 35.6812, longitude: 139.7671 },
};

/** A few columns show how it is done. */
const COLUMNS_MAX = 4;

function sampleOf(column: Column): Sample | undefined {
  if (column.type === 'Object') return sampleObject(column.scheme.keys);
  if (column.type !== 'Array') return SAMPLES[column.type as SimpleTypeName];
  const { type, scheme } = column.scheme.element;
  const element = type === 'Object' ? sampleObject(scheme?.keys ?? []) : SAMPLES[type];
  return { type: 'Array', value: element === undefined ? [] : [element] };
}

function sampleObject(keys: readonly { readonly name: string; readonly type: SimpleTypeName }[]): Sample {
  const members = keys.flatMap(({ name, type }) => (SAMPLES[type] === undefined ? [] : [[name, SAMPLES[type]]]));
  return { type: 'Object', value: Object.fromEntries(members) };
}

function sampleValues({ columns }: Collection): Readonly<Record<string, Sample>> {
  const values = columns.flatMap((column) => {
    const sample = sampleOf(column);
    return sample === undefined ? [] : [[column.id, sample] as const];
  });
  return Object.fromEntries(values.slice(0, COLUMNS_MAX));
}

interface Reader {
  /** The server's address, without a slash at the end. */
  readonly root: string;
  /** The option `--url`, if the command had it. */
  readonly url: string | undefined;
  /** Whom the token can be for; undefined if the application has no such user. */
  readonly user: { readonly name: string } | undefined;
}

/** Undefined for an application without collections. */
export function firstRecord(application: Application, { root, url, user }: Reader): string | undefined {
  const collection = application.collections.find(({ columns }) => columns.length > 0) ?? application.collections[0];
  if (collection === undefined) return undefined;
  const address = `${root}/v1/${application.id}/collections/${collection.id}/records`;
  const body = JSON.stringify({ values: sampleValues(collection) });
  const at = url === undefined ? '' : ` --url ${quoted(url)}`;
  const command = (words: string) => `${programName()} ${words}${at}`;
  const { id, name, sharedUsersModeEnabled } = application;
  const creates = sharedUsersModeEnabled
    ? `users create ${id} --name 'NAME OF A SHARED USER'`
    : `users create ${id} --name Ada --email ada@example.com`;
  const owner = user === undefined ? (sharedUsersModeEnabled ? "'NAME OF A SHARED USER'" : 'Ada') : quoted(user.name);
  return [
    ...(user === undefined
      ? [
          `${name} has no user with API access yet. Create one, an admin:`,
          '',
          command(creates),
          '',
          'Then get a token:',
        ]
      : ['To use it, get a token:']),
    '',
    `TOKEN=$(${command(`tokens create ${id} ${owner} --name 'first steps' --token-only`)})`,
    '',
    `And create a record in ${collection.name}:`,
    '',
    `curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' ${quoted(address)} -d ${quoted(body)}`,
  ].join('\n');
}
