// Lists by attachments: their order is that of the names, by code points, and searches look at the names, also inside of
// Arrays and Objects.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AttachmentScene,
  attachment,
  type Files,
  filesOf,
  type Metadata,
  openAttachments,
} from '../support/attachments.ts';
import { by, createAll, DIRECTIONS, type Lister, listerOf, WALKS, walkAll } from '../support/lists.ts';
import { done, operationsOn, refused } from '../support/records.ts';

const ORDERED = 'cordered';
const [FILE, FILES, PAIR, PAIRS] = ['cfile000', 'cfiles00', 'cpair000', 'cpairs00'] as const;
const keys = [
  { name: 'scan', type: 'Attachment' },
  { name: 'copy', type: 'Attachment' },
];
const found = { searchable: true };
const DOCUMENT = {
  collections: [
    {
      id: 'torders0',
      name: 'Ordered',
      columns: [
        { id: ORDERED, name: 'File', type: 'Attachment', sortable: true },
        { id: 'cplain00', name: 'Plain', type: 'Attachment', searchable: true },
      ],
    },
    {
      id: 'tsearch0',
      name: 'Searched',
      columns: [
        { id: FILE, name: 'File', type: 'Attachment', ...found },
        { id: FILES, name: 'Files', type: 'Array', scheme: { element: { type: 'Attachment' } }, ...found },
        { id: PAIR, name: 'Pair', type: 'Object', scheme: { keys }, ...found },
        {
          id: PAIRS,
          name: 'Pairs',
          type: 'Array',
          scheme: { element: { type: 'Object', scheme: { keys } } },
          ...found,
        },
        { id: 'chidden0', name: 'Hidden', type: 'Attachment' },
      ],
    },
  ],
};

const LONG = 'x'.repeat(254);
/** Ascending, by code points: a surrogate pair comes behind U+FFFD, and capitals before small letters. */
const ASCENDING = [
  ' a',
  '.hidden',
  '10.txt',
  '9.txt',
  'A.txt',
  'B.txt',
  'Unknonwn',
  'Z',
  'a',
  'a.txt',
  'aa',
  'b.txt',
  'e\u0301',
  'f',
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}\u{1f600}`,
  'ß',
  'é',
  'あ',
  '日本.pdf',
  '\uff21',
  '\ufffd',
  '\u{1f600}.png',
  '\u{1f601}.png',
];

describe('lists by attachments', () => {
  let scene: AttachmentScene;
  let ordered: Lister;
  let searched: Lister;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    ordered = listerOf(scene, 'Ordered');
    searched = listerOf(scene, 'Searched');
  });
  after(() => scene.close());

  describe('order', () => {
    /** Record identifiers, ascending; the first two have no value. */
    let expected: string[];

    before(async () => {
      const files = filesOf(scene, 'Ordered');
      const named = new Map<string, Metadata>();
      for (const name of ASCENDING.toReversed()) named.set(name, await files.uploadNamed(name));
      const twin = await files.uploadNamed('a.txt');
      // Two hold the same file, and one holds another of the same name: ties, which the identifier breaks.
      const held = ASCENDING.flatMap((name) =>
        name === 'a.txt' ? [named.get(name)!, named.get(name)!, twin] : [named.get(name)!],
      );
      const elements = [{}, {}, ...held.map((file) => ({ [ORDERED]: attachment(file) }))].map((values) => ({ values }));
      // Created out of order, so that nothing comes right by chance; equal ones in the order of their identifiers.
      const shuffled = elements.map((element, index) => ({ element, index }));
      shuffled.sort((a, b) => ((a.index * 7) % elements.length) - ((b.index * 7) % elements.length));
      const ids = await createAll(
        scene,
        'Ordered',
        shuffled.map(({ element }) => element),
      );
      const byIndex = new Map(shuffled.map(({ index }, position) => [index, ids[position]!]));
      const inOrder = elements.map((_, index) => byIndex.get(index)!);
      const tied = 2 + ASCENDING.indexOf('a.txt');
      expected = [
        ...inOrder.slice(0, 2).sort(),
        ...inOrder.slice(2, tied),
        ...inOrder.slice(tied, tied + 3).sort(),
        ...inOrder.slice(tied + 3),
      ];
    });

    for (const direction of DIRECTIONS) {
      it(`is that of the names, ${direction}, on one page and on many`, async () => {
        const want = direction === 'ascending' ? expected : expected.toReversed();
        const order = by('column', direction, ORDERED);
        assert.deepEqual(await ordered.ids(order), want);
        for (const walk of WALKS) {
          assert.deepEqual(await walkAll(ordered, order, { walk, limit: 5 }), want, walk);
        }
      });
    }

    it('needs the column to be sortable', async () => {
      refused(await ordered.page(by('column', 'ascending', 'cplain00')), 400, 'COLUMN_NOT_SORTABLE');
    });
  });

  describe('search', () => {
    let files: Files;
    const records: Record<string, string> = {};

    before(async () => {
      files = filesOf(scene, 'Searched');
      const names = ['Report Mai.pdf', 'report-june.PDF', 'photo.jpg', 'Stra\u00dfe.txt', 'cafe\u0301.txt', 'A.txt'];
      const [may, june, photo, street, cafe, big] = await Promise.all(names.map((name) => files.uploadNamed(name)));
      const list = (...held: Metadata[]) => ({ type: 'Array', value: held.map(attachment) });
      const pair = (scan: Metadata, copy?: Metadata) => ({
        type: 'Object',
        value: { scan: attachment(scan), ...(copy && { copy: attachment(copy) }) },
      });
      const all: Record<string, object> = {
        may: { [FILE]: attachment(may!) },
        june: { [FILE]: attachment(june!) },
        street: { [FILE]: attachment(street!) },
        cafe: { [FILE]: attachment(cafe!) },
        list: { [FILES]: list(photo!, june!) },
        emptyList: { [FILES]: list() },
        pair: { [PAIR]: pair(may!, photo!) },
        pairs: { [PAIRS]: { type: 'Array', value: [pair(photo!), pair(big!, june!)] } },
        hidden: { chidden0: attachment(photo!) },
      };
      for (const [name, values] of Object.entries(all)) {
        records[name] = done(await operationsOn(scene.app, 'Searched').create({ ...values })).id;
      }
    });

    const ROWS: [string, string[]][] = [
      // Containing, whatever the case and the composition.
      ['File:report', ['may', 'june']],
      ['File:REPORT', ['may', 'june']],
      ['File:".pdf"', ['may', 'june']],
      ['File:"caf\u00e9"', ['cafe']],
      ['File:photo', []],
      ['$cfile000:mai', ['may']],
      // Exact, by code points.
      ['File="Report Mai.pdf"', ['may']],
      ['File="report mai.pdf"', []],
      ['File="caf\u00e9.txt"', []],
      ['File="cafe\u0301.txt"', ['cafe']],
      ['File<"a"', ['may', 'street']],
      ['File>=r', ['june']],
      ['File>"Report" File<"Report Z"', ['may']],
      // With and without a value.
      ['File!=', ['may', 'june', 'street', 'cafe']],
      ['File= Files=', ['pair', 'pairs', 'hidden']],
      ['File!="Report Mai.pdf" File!=', ['june', 'street', 'cafe']],
      // Inside of Arrays and Objects.
      ['Files:JUNE', ['list']],
      ['Files=photo.jpg', ['list']],
      ['Files=PHOTO.jpg', []],
      ['Files!= NOT Files:photo', ['emptyList']],
      ['Pair:photo', ['pair']],
      ['Pair.scan:photo', []],
      ['Pair.copy:photo', ['pair']],
      ['Pair.scan="Report Mai.pdf"', ['pair']],
      ['Pairs:photo', ['pairs']],
      ['Pairs.copy:june', ['pairs']],
      ['Pairs.copy:photo', []],
      ['Pairs.scan=A.txt', ['pairs']],
      // Anywhere, in what is searchable.
      ['photo', ['list', 'pair', 'pairs']],
      ['june', ['june', 'list', 'pairs']],
      ['-report', ['street', 'cafe', 'emptyList', 'hidden']],
    ];

    for (const [query, names] of ROWS) {
      it(query, async () => {
        const nameOf = new Map(Object.entries(records).map(([name, id]) => [id, name]));
        const ids = await searched.ids({ search: query });
        assert.deepEqual(ids.map((id) => nameOf.get(id)).sort(), names.toSorted());
      });
    }

    it('needs the column to be searchable', async () => {
      refused(await searched.page({ search: 'Hidden:photo' }), 400, 'INVALID_SEARCH');
    });

    it('finds an identifier nowhere: attachments are searched by name', async () => {
      const { id } = await files.uploadNamed('one more');
      done(await operationsOn(scene.app, 'Searched').create({ [FILE]: attachment({ id }) }));
      assert.deepEqual(await searched.ids({ search: id }), []);
      assert.deepEqual(await searched.ids({ search: `File=${id}` }), []);
    });

    it('selects what delete-many deletes', async () => {
      const file = await files.uploadNamed('to be deleted.tmp');
      const record = done(await operationsOn(scene.app, 'Searched').create({ [FILE]: attachment(file) }));
      const path = `${scene.app.records('Searched')}?limit=10&search=${encodeURIComponent('File:".TMP"')}`;
      assert.deepEqual(done(await scene.app.send('DELETE', path)), { deletedCount: 1 });
      assert.equal((await operationsOn(scene.app, 'Searched').get(record.id)).status, 404);
    });
  });
});
