// Applications that a member cannot tell apart: what the member sees is the same in each, and what is hidden differs. An
// answer is compared as a text in which identifiers and times are replaced by names.

import { number, type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { createAll } from '../support/lists.ts';
import { done, NO_RECORD, operationsOn, type Scene } from '../support/records.ts';
import type { Reply, TestServer } from '../support/server.ts';

const SORTED = { searchable: true, sortable: true };
const SECRETS = 'tsecret0';
const refer = (type: string, id: string, columnId: string) => ({
  ...{ id, name: type, type, ...SORTED },
  scheme: { collectionId: SECRETS, columnId },
});

const DOCUMENT = {
  collections: [
    {
      ...{ id: 'town0000', name: 'Own', readAccessType: 'creatorOnly' },
      columns: [
        { id: 'ctitle00', name: 'Title', type: 'String', ...SORTED },
        { id: 'ccode000', name: 'Code', type: 'String', unique: true, searchable: true },
        { id: 'csize000', name: 'Size', type: 'Number', unique: true, ...SORTED },
        { id: 'ctags000', name: 'Tags', type: 'Array', searchable: true, scheme: { element: { type: 'String' } } },
      ],
    },
    {
      ...{ id: SECRETS, name: 'Secrets', readAccessType: 'creatorOnly' },
      columns: [
        { id: 'cstext00', name: 'Text', type: 'String' },
        { id: 'csnumb00', name: 'Number', type: 'Number' },
        { id: 'csuser00', name: 'User', type: 'User' },
      ],
    },
    {
      ...{ id: 'tholder0', name: 'Holders' },
      columns: [
        { id: 'chtitle0', name: 'Title', type: 'String', ...SORTED },
        refer('ReferenceString', 'crtext00', 'cstext00'),
        refer('ReferenceNumber', 'crnumb00', 'csnumb00'),
        refer('ReferenceUser', 'cruser00', 'csuser00'),
      ],
    },
  ],
};

/** What is hidden in a world. `none`: there is nothing, and what would refer to it refers to deleted records. */
export type Hidden = 'none' | 'some' | 'other' | 'empty';

export interface World {
  readonly hidden: Hidden;
  readonly app: TestApplication;
  readonly scene: Scene;
  readonly member: Person;
  /** A record that the member may not read, or that is not there. */
  readonly secretId: string;
  /** What the member is answered, with names instead of identifiers and times. */
  readonly ask: (method: string, path: string, options?: { json?: unknown; token?: string }) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly link: string | null;
  /** As the server wrote it. */
  readonly reply: Reply;
}

const VISIBLE = 43;
/** How many are hidden behind each visible one. */
const HIDDEN: Record<Hidden, number> = { none: 0, some: 2, other: 1, empty: 3 };

const hiddenValues = (hidden: Hidden, index: number) => {
  if (hidden === 'empty' || hidden === 'none') return {};
  return {
    ctitle00: string(hidden === 'some' ? `Title ${index % 9} secret` : `\u{1f600} hidden ${index}`),
    ccode000: string(`H-${hidden}-${index}`),
    csize000: number(hidden === 'some' ? 1000 + index : -1000 - index),
    ctags000: { type: 'Array', value: [string('red'), string(`tag ${hidden}`)] },
  };
};

const visibleValues = (index: number) =>
  index % 6 === 0
    ? {}
    : {
        ctitle00: string(`Title ${index % 7}`),
        ccode000: string(`V-${index}`),
        csize000: number(index),
        ctags000: { type: 'Array', value: index % 2 === 0 ? [string('red')] : [] },
      };

export async function openWorld(server: TestServer, hidden: Hidden): Promise<World> {
  const app = await publishApplication(server, DOCUMENT);
  const scene = { server, app };
  const [member, other] = [await app.addPerson('Member'), await app.addPerson('Other')];
  const elements = Array.from({ length: VISIBLE }, (_, index) => [
    { values: visibleValues(index), creatorId: member.id },
    ...Array.from({ length: HIDDEN[hidden] }, (_, more) => ({
      values: hiddenValues(hidden, index * 3 + more),
      creatorId: other.id,
    })),
  ]).flat();
  const ids = await createAll(scene, 'Own', elements);
  const secretId = ids[elements.findIndex(({ creatorId }) => creatorId === other.id)] ?? NO_RECORD;
  // The hidden ones change last: their times must not show.
  if (hidden !== 'none') done(await operationsOn(app, 'Own').merge(secretId, {}));
  await hold(scene, hidden, { member, other });
  return { hidden, app, scene, member, secretId, ask: asker({ server, app, member, other, secretId }) };
}

/** Holders refer to secrets of the member, to hidden ones and to nothing. */
async function hold(
  scene: Scene,
  hidden: Hidden,
  { member, other }: Record<'member' | 'other', Person>,
): Promise<void> {
  const secretOf = (text: string, value: number, user: Person) => ({
    ...{ cstext00: string(text), csnumb00: number(value), csuser00: { type: 'User', id: user.id } },
  });
  const others = Array.from({ length: 4 }, (_, index) => {
    if (hidden === 'empty') return {};
    return hidden === 'some' ? secretOf('M middle', 5 + index, member) : secretOf(`Z${index}`, -index, other);
  });
  const mine = [secretOf('A first', 1, member), secretOf('M middle', 5, other), secretOf('Y last', 9, member), {}];
  const owned = await createAll(
    scene,
    'Secrets',
    mine.map((values) => ({ values, creatorId: member.id })),
  );
  const hiddenIds = await createAll(
    scene,
    'Secrets',
    others.map((values) => ({ values, creatorId: other.id })),
  );
  const targets = [...owned, ...hiddenIds, undefined];
  await createAll(
    scene,
    'Holders',
    Array.from({ length: 31 }, (_, index) => {
      const recordId = targets[(index * 4) % targets.length];
      const reference = { collectionId: SECRETS, recordId };
      const references = {
        crtext00: { type: 'ReferenceString', columnId: 'cstext00', ...reference },
        crnumb00: { type: 'ReferenceNumber', columnId: 'csnumb00', ...reference },
        cruser00: { type: 'ReferenceUser', columnId: 'csuser00', ...reference },
      };
      return { values: { chtitle0: string(`Holder ${index}`), ...(recordId === undefined ? {} : references) } };
    }),
  );
  if (hidden !== 'none') return;
  for (const id of hiddenIds) await operationsOn(scene.app, 'Secrets').remove(id);
}

interface Asking {
  readonly server: TestServer;
  readonly app: TestApplication;
  readonly member: Person;
  readonly other: Person;
  readonly secretId: string;
}

function asker({ app, member, other, secretId }: Asking): World['ask'] {
  const names = new Map([
    [app.id, '{application}'],
    [app.admin.id, '{Admin}'],
    [member.id, '{Member}'],
    [other.id, '{Other}'],
    [secretId, '{secret}'],
  ]);
  /** By the order in which they are first seen. */
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `{${id[0]}${names.size}}`;
    names.set(id, name);
    return name;
  };
  const named = (text: string) =>
    text
      .replace(/"(hash|recordHash)":"[0-9a-v]{26}"/g, '"$1":"{hash}"')
      .replace(/\b[rp][0-9a-v]{26}\b/g, nameOf)
      .replace(/\bu[a-z0-9]{7}\b/g, (id) => names.get(id) ?? id)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '{time}');
  const readable = (link: string) =>
    decodeURIComponent(link).replace(/~([A-Za-z0-9_-]+)/, (_, token) => Buffer.from(token, 'base64url').toString());
  return async (method, path, options = {}) => {
    const reply = await app.send(method, path, { token: member.token, ...options });
    const link = reply.headers.get('link');
    return {
      status: reply.status,
      text: named(reply.text),
      link: link === null ? null : named(readable(link)),
      reply,
    };
  };
}
