// The records that the golden cases (golden/*.txt) search, with fixed identifiers of columns, so that the SQL is the same
// in every run. All times are in UTC.

import type { Person } from '../support/application.ts';
import { done, openScene, operationsOn, type Scene } from '../support/records.ts';

const SITES = 'tsites00';
const searchable = true;

export const DOCUMENT = {
  timeZone: 'UTC',
  collections: [
    {
      id: SITES,
      name: 'Sites',
      // Bea may read those that she created.
      readAccessType: 'creatorOnly',
      columns: [
        { id: 'csname00', name: 'Name', type: 'String' },
        { id: 'csheight', name: 'Height', type: 'Number' },
        { id: 'cskeeper', name: 'Keeper', type: 'User' },
      ],
    },
    {
      id: 'tnotes00',
      name: 'Notes',
      columns: [
        { id: 'ctitle00', name: 'Title', type: 'String', searchable, sortable: true },
        { id: 'ccode000', name: 'Code', type: 'String', searchable, unique: true },
        { id: 'cbody000', name: 'Body', type: 'String', searchable },
        { id: 'csize000', name: 'Size', type: 'Number', searchable },
        { id: 'cdone000', name: 'Done', type: 'Boolean', searchable },
        { id: 'cwhen000', name: 'When', type: 'DateTime', searchable },
        { id: 'cday0000', name: 'Due day', type: 'Date', searchable },
        { id: 'cclock00', name: 'Clock', type: 'Time', searchable },
        { id: 'cowner00', name: 'Owner', type: 'User', searchable },
        { id: 'cplace00', name: 'Place', type: 'Location', searchable },
        { id: 'ctags000', name: 'Tags', type: 'Array', searchable, scheme: { element: { type: 'String' } } },
        { id: 'ccounts0', name: 'Counts', type: 'Array', searchable, scheme: { element: { type: 'Number' } } },
        {
          ...{ id: 'caddress', name: 'Address', type: 'Object', searchable },
          scheme: {
            keys: [
              { name: 'street', type: 'String' },
              { name: 'number', type: 'Number' },
              { name: 'since', type: 'Date' },
              { name: 'keeper', type: 'User' },
            ],
          },
        },
        {
          ...{ id: 'cvisits0', name: 'Visits', type: 'Array', searchable },
          scheme: {
            element: {
              type: 'Object',
              scheme: {
                keys: [
                  { name: 'by', type: 'String' },
                  { name: 'minutes', type: 'Number' },
                ],
              },
            },
          },
        },
        {
          ...{ id: 'csite000', name: 'Site', type: 'ReferenceString', searchable },
          scheme: { collectionId: SITES, columnId: 'csname00' },
        },
        {
          ...{ id: 'cheight0', name: 'Height', type: 'ReferenceNumber', searchable },
          scheme: { collectionId: SITES, columnId: 'csheight' },
        },
        {
          ...{ id: 'ckeeper0', name: 'Keeper', type: 'ReferenceUser', searchable },
          scheme: { collectionId: SITES, columnId: 'cskeeper' },
        },
        { id: 'csecret0', name: 'Secret', type: 'String' },
      ],
    },
  ],
};

const text = (value: string) => ({ type: 'String', value });
const number = (value: number) => ({ type: 'Number', value });
const date = (value: string) => ({ type: 'Date', value });
const texts = (...values: string[]) => ({ type: 'Array', value: values.map(text) });
const numbers = (...values: number[]) => ({ type: 'Array', value: values.map(number) });
const place = (latitude: number, longitude: number) => ({ type: 'Location', latitude, longitude });
const visit = (by: string, minutes: number) => ({ type: 'Object', value: { by: text(by), minutes: number(minutes) } });

type Name = 'Admin' | 'Bea' | 'Carl Öst';
type Users = Record<Name, { type: 'User'; id: string }>;

/** By whom each site was created; the last one is deleted when all notes are there. */
const sites = (user: Users): readonly { creator: Name; values: object }[] => [
  { creator: 'Admin', values: { csname00: text('Harbour'), csheight: number(12.5), cskeeper: user.Bea } },
  { creator: 'Bea', values: { csname00: text('Öresund'), csheight: number(0), cskeeper: user['Carl Öst'] } },
  { creator: 'Admin', values: { csname00: text('Mill') } },
  { creator: 'Admin', values: { csname00: text('Gone'), csheight: number(5), cskeeper: user.Bea } },
];

interface Note {
  readonly title: string;
  readonly creator: Name;
  /** Which of the sites Site, Height and Keeper all refer to. */
  readonly site?: number;
  readonly values: object;
}

const notes = (user: Users): readonly Note[] => [
  {
    ...{ title: 'Oak', creator: 'Admin', site: 0 },
    values: {
      ...{ ccode000: text('A-1'), cbody000: text('The Quick brown fox'), csize000: number(10), csecret0: text('fox') },
      ...{ cdone000: { type: 'Boolean', value: true }, cowner00: user.Bea, cplace00: place(35.68, 139.76) },
      cwhen000: { type: 'DateTime', value: '2024-03-10T09:30:00.000Z' },
      ...{ cday0000: date('2024-03-10'), cclock00: { type: 'Time', value: '09:30:00' } },
      ...{ ctags000: texts('red', 'Green leaf'), ccounts0: numbers(1, 2, 3) },
      caddress: {
        type: 'Object',
        value: { street: text('Main St'), number: number(5), since: date('2020-01-01'), keeper: user.Bea },
      },
      cvisits0: { type: 'Array', value: [visit('Ann', 5), visit('Bob', 50)] },
    },
  },
  {
    ...{ title: 'oak tree', creator: 'Bea', site: 1 },
    values: {
      ...{ ccode000: text('A-2'), cbody000: text('über ÖL, Straße'), csize000: number(-5.5) },
      ...{ cdone000: { type: 'Boolean', value: false }, cowner00: user['Carl Öst'], cplace00: place(35.7, 139.76) },
      cwhen000: { type: 'DateTime', value: '2024-03-10T15:30:00.500Z' },
      ...{ cday0000: date('2024-03-11'), cclock00: { type: 'Time', value: '23:59:59' } },
      ...{ ctags000: texts(), ccounts0: numbers() },
      ...{ caddress: { type: 'Object', value: { street: text('Main Road') } }, cvisits0: { type: 'Array', value: [] } },
    },
  },
  {
    ...{ title: 'Birch', creator: 'Carl Öst', site: 2 },
    values: {
      ...{ ccode000: text(''), cbody000: text(''), csize000: number(0), ctags000: texts('a"b\\c', 'blue') },
      ...{ cwhen000: { type: 'DateTime', value: '2024-03-31T00:59:59.999Z' }, cday0000: date('2024-02-29') },
      ...{ caddress: { type: 'Object', value: {} }, cvisits0: { type: 'Array', value: [visit('Ann', 50)] } },
    },
  },
  {
    ...{ title: '東京タワー', creator: 'Bea', site: 3 },
    values: {
      ...{
        ccode000: text('東'),
        cbody000: text('日本の東京駅から'),
        csize000: number(1e21),
        ctags000: texts('東京', '駅'),
      },
      ...{ cplace00: place(-17.5, 179.99), cclock00: { type: 'Time', value: '09:30:59' }, ccounts0: numbers(-1, 1e21) },
    },
  },
  {
    ...{ title: 'Cafe\u0301', creator: 'Carl Öst' },
    values: { cbody000: text('É'), cplace00: place(-17.5, -179.99), cowner00: user.Admin, csize000: number(10) },
  },
  {
    ...{ title: 'Long', creator: 'Admin' },
    values: { cbody000: text(`${'x'.repeat(40)}end`), ccode000: text(`k${'1'.repeat(300)}`), csize000: number(2024) },
  },
  { title: 'Signs', creator: 'Admin', values: { cbody000: text('say "hi": 100% _under\\score AND 2024-03-10') } },
  { title: 'Empty', creator: 'Bea', values: {} },
];

export interface Golden {
  readonly scene: Scene;
  readonly people: Readonly<Record<string, Person>>;
  /** Identifiers of the notes by their titles. */
  readonly notes: ReadonlyMap<string, string>;
}

export async function openGolden(): Promise<Golden> {
  const scene = await openScene(DOCUMENT);
  const { app } = scene;
  const people = { Admin: app.admin, Bea: await app.addPerson('Bea'), 'Carl Öst': await app.addPerson('Carl Öst') };
  const user = Object.fromEntries(
    Object.entries(people).map(([name, { id }]) => [name, { type: 'User', id }]),
  ) as Users;
  const siteIds: string[] = [];
  for (const { creator, values } of sites(user)) {
    const made = await operationsOn(app, 'Sites').create({ ...values }, { creatorId: people[creator].id });
    siteIds.push(done(made).id);
  }
  const found = new Map<string, string>();
  for (const { title, creator, site, values } of notes(user)) {
    const all = { ctitle00: text(title), ...values, ...(site === undefined ? {} : references(siteIds[site]!)) };
    const made = await operationsOn(app, 'Notes').create(all, { creatorId: people[creator].id });
    found.set(title.normalize('NFC'), done(made).id);
  }
  await operationsOn(app, 'Sites').remove(siteIds.at(-1)!);
  // Updated by somebody else than the admin, who created them all.
  done(await operationsOn(app, 'Notes', people.Bea.token).merge(found.get('Birch')!, {}));
  return { scene, people, notes: found };
}

const references = (recordId: string) => ({
  csite000: { type: 'ReferenceString', collectionId: SITES, columnId: 'csname00', recordId },
  cheight0: { type: 'ReferenceNumber', collectionId: SITES, columnId: 'csheight', recordId },
  ckeeper0: { type: 'ReferenceUser', collectionId: SITES, columnId: 'cskeeper', recordId },
});
