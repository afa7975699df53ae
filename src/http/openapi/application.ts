// The OpenAPI document of one application: the operations of each collection under its own path, with the shapes of its
// columns. A definition at its limits makes many megabytes of it, so it is written and sent collection by collection.

import type { Application, Collection, Column } from '../../wire/applications.ts';
import {
  ChangedValues,
  NewRecord,
  NewValues,
  OutgoingRecord,
  RecordUpdate,
  RecordUpdateWithId,
} from '../../wire/records.ts';
import { INCOMING_VALUES, OUTGOING_VALUES, OutgoingValue } from '../../wire/values.ts';
import { commonName, componentSchemas, type Naming, refer, written, writtenOut } from './components.ts';
import { isOfInterface, preamble, SHARED_COMPONENTS, type Subjects, templateOf } from './document.ts';
import { type DescribedRoute, operationOf, type Place } from './operations.ts';

const COLLECTION_PATH = '/:collectionId';

type Paths = Record<string, Record<string, object>>;

/** What of a definition is described. */
export type DescribedApplication = Pick<Application, 'id' | 'name' | 'version' | 'collections'>;

/** The JSON of the document, in parts. `url`: of the interface, up to `/v1`. */
export function* applicationDocument(
  application: DescribedApplication,
  url: string,
  subjects: Subjects,
): Generator<string> {
  const { id, name, version, collections } = application;
  const routes = subjects.flatMap(({ tag, routes: rows }) => rows.map((row) => ({ tag, row })));
  const ofInterface = routes.filter(({ row }) => isOfInterface(row));
  const ofCollections = ofInterface.filter(({ row }) => row.path.includes(COLLECTION_PATH)).map(({ row }) => row);
  const others = ofInterface.filter(({ row }) => !row.path.includes(COLLECTION_PATH));
  const about = { title: name, version: String(version), description: `The application ${name} (${id}).`, url };
  const tags = [
    ...collections.map((collection) => ({ name: collection.name, description: `The collection ${collection.id}.` })),
    ...subjects
      .filter(({ tag }) => others.some((other) => other.tag === tag))
      .map(({ tag, sentence }) => ({ name: tag, description: sentence })),
  ];
  const head = { ...preamble(about), tags };
  const common = pathsOf(
    others.map(({ row, tag }) => ({ row, place: { tag, fixed: ['applicationId'] } })),
    { applicationId: id },
  );
  yield `${opened(head)},"paths":{${inner(common)}`;
  for (const collection of collections) {
    const place = placeOf(collection);
    const given = { applicationId: id, collectionId: collection.id };
    yield `,${inner(
      pathsOf(
        ofCollections.map((row) => ({ row, place })),
        given,
      ),
    )}`;
  }
  yield `},"components":{"schemas":{${inner(componentSchemas(new Set([...OWN_SHAPES.keys(), OutgoingValue])))}`;
  for (const collection of collections) yield `,${inner(schemasOf(collection))}`;
  yield `},${inner(SHARED_COMPONENTS)}}}`;
}

/** The text of an object without its last brace, or without both. */
const opened = (object: object): string => JSON.stringify(object).slice(0, -1);
const inner = (object: object): string => opened(object).slice(1);

function pathsOf(
  rows: readonly { row: DescribedRoute; place: Place }[],
  given: Readonly<Record<string, string>>,
): Paths {
  const paths: Paths = {};
  for (const { row, place } of rows) {
    const path = templateOf(row.path).replaceAll(/\{(\w+)\}/g, (all, name: string) => given[name] ?? all);
    paths[path] ??= {};
    paths[path][row.method.toLowerCase()] = operationOf(row, place);
  }
  return paths;
}

/** The shapes that each collection has of its own. */
const OWN_SHAPES: ReadonlyMap<object, string> = new Map<object, string>([
  [OutgoingRecord, 'Record'],
  [NewRecord, 'NewRecord'],
  [RecordUpdate, 'RecordUpdate'],
  [RecordUpdateWithId, 'RecordUpdateWithId'],
  [OutgoingRecord.properties.values, 'Values'],
  [NewValues, 'NewValues'],
  [ChangedValues, 'ChangedValues'],
]);

function placeOf({ id, name }: Collection): Place {
  return { tag: name, suffix: `_${id}`, fixed: ['applicationId', 'collectionId'], nameOf: namingOf(id) };
}

const namingOf =
  (collectionId: string): Naming =>
  (schema) => {
    const own = OWN_SHAPES.get(schema);
    return own === undefined ? commonName(schema) : `${own}_${collectionId}`;
  };

function schemasOf({ id, name, columns }: Collection): Record<string, object> {
  const nameOf = namingOf(id);
  const shapes = [OutgoingRecord, NewRecord, RecordUpdate, RecordUpdateWithId];
  const whole = shapes.map((shape) => [nameOf(shape) ?? '', { title: name, ...writtenOut(shape, nameOf) }] as const);
  const columnIds = columns.map((column) => column.id);
  const changed = {
    type: 'object',
    propertyNames: { enum: columnIds },
    additionalProperties: { anyOf: [refer('NewValue'), { type: 'null' }] },
  };
  return {
    ...Object.fromEntries(whole),
    [`Values_${id}`]: valuesOf(columns, OUTGOING_VALUES),
    [`NewValues_${id}`]: valuesOf(columns, INCOMING_VALUES),
    [`ChangedValues_${id}`]: changed,
  };
}

type ValueShapes = typeof OUTGOING_VALUES | typeof INCOMING_VALUES;

const valuesOf = (columns: readonly Column[], shapes: ValueShapes): object => ({
  type: 'object',
  properties: Object.fromEntries(
    columns.map((column) => [column.id, { ...titled(column), ...shapeOf(column, shapes) }]),
  ),
  additionalProperties: false,
});

function titled({ name, unique, sortable, searchable }: Column): object {
  const flags = Object.entries({ unique, sortable, searchable }).flatMap(([flag, set]) => (set ? [flag] : []));
  return { title: name, ...(flags.length === 0 ? {} : { description: flags.join(', ') }) };
}

function shapeOf(column: Column, shapes: ValueShapes): object {
  switch (column.type) {
    case 'Object':
      return objectOf(column.scheme.keys, shapes);
    case 'Array': {
      const { type, scheme } = column.scheme.element;
      const items = type === 'Object' ? objectOf(scheme?.keys ?? [], shapes) : written(shapes[type]);
      return wrapped('Array', { type: 'array', items });
    }
    default:
      return written(shapes[column.type]) as object;
  }
}

type Keys = Extract<Column, { type: 'Object' }>['scheme']['keys'];

const objectOf = (keys: Keys, shapes: ValueShapes): object =>
  wrapped('Object', {
    type: 'object',
    properties: Object.fromEntries(keys.map(({ name, type }) => [name, written(shapes[type])])),
    additionalProperties: false,
  });

const wrapped = (type: string, value: object): object => ({
  type: 'object',
  required: ['type', 'value'],
  properties: { type: { const: type }, value },
  additionalProperties: false,
});
