// The rules of the notifications page: what may be sent, to whom, that nobody gets it twice, and what became of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aboutPage,
  EMPTY_DRAFT,
  isLink,
  lengthOf,
  problemsOf,
  requestOf,
} from '../../console/src/notifications/message.ts';
import { outcomeOf, sendingsOf, whyOf } from '../../console/src/notifications/outcome.ts';
import { sendToAll } from '../../console/src/notifications/sending.ts';

const DRAFT = { title: '', body: 'text', url: '', sound: false };

test('a message is what the interface takes', () => {
  assert.deepEqual(requestOf({ ...DRAFT, title: ' ' }), { body: 'text' });
  assert.deepEqual(requestOf({ title: 'T', body: 'B', url: 'https://a.example', sound: true }), {
    ...{ title: 'T', body: 'B', url: 'https://a.example', sound: 'default' },
  });
  assert.deepEqual([...problemsOf(DRAFT)], []);
  assert.deepEqual([...problemsOf({ ...DRAFT, body: ' \n' })], ['body']);
  assert.deepEqual([...problemsOf({ ...DRAFT, body: '😀'.repeat(512) })], []);
  assert.deepEqual([...problemsOf({ ...DRAFT, body: '😀'.repeat(513), title: 'a'.repeat(129) })], ['body', 'title']);
  assert.deepEqual([...problemsOf({ ...DRAFT, url: 'javascript:alert(1)' })], ['url']);
  assert.equal(lengthOf('😀'), 1);
});

test('a message about a record has its link and title, and keeps what was written', () => {
  const page = { title: 'Lift 3', url: 'https://a.example/console/p/t/r' };
  assert.deepEqual(aboutPage(EMPTY_DRAFT, page), { ...page, body: '', sound: false });
  const written = { ...DRAFT, title: 'Mine', sound: true };
  assert.deepEqual(aboutPage(written, page), { ...written, url: page.url });
  assert.equal(lengthOf(aboutPage(EMPTY_DRAFT, { ...page, title: '😀'.repeat(200) }).title), 128);
});

test('a link leads to a page', () => {
  for (const good of ['https://example.com/a?b#c', 'http://127.0.0.1:8080/console']) assert.ok(isLink(good), good);
  for (const bad of [
    'example.com',
    'javascript:1',
    'data:text/html,x',
    '/console',
    `https://e.example/${'a'.repeat(1024)}`,
  ]) {
    assert.ok(!isLink(bad), bad);
  }
});

const delivery = (state: 'waiting' | 'delivered' | 'failed' | 'gone', problem?: string) => ({
  ...{ deviceId: 'd', state, attempts: 1 },
  ...(problem === undefined ? {} : { problem }),
});
const sent = (user: string, seconds: number, body = 'B', states: Parameters<typeof delivery>[0][] = ['delivered']) => ({
  id: `${user}-${seconds}`,
  createdAt: new Date(Date.UTC(2026, 10, 16, 12, 0, 60 - seconds)).toISOString(),
  createdBy: { id: 'u0000000', name: 'Admin' },
  user: { id: user, name: user },
  title: 'T',
  body,
  deliveries: states.map((state) => delivery(state)),
});

test('one device is enough to reach a person', () => {
  assert.equal(outcomeOf(sent('a', 0, 'B', [])), 'none');
  assert.equal(outcomeOf(sent('a', 0, 'B', ['failed', 'delivered'])), 'delivered');
  assert.equal(outcomeOf(sent('a', 0, 'B', ['failed', 'waiting'])), 'waiting');
  assert.equal(outcomeOf(sent('a', 0, 'B', ['failed', 'gone'])), 'failed');
});

test('the same message to several people is one sending, to the same person again another', () => {
  const sendings = sendingsOf([sent('b', 0), sent('a', 1, 'B', []), sent('a', 2), sent('c', 3, 'other')]);
  assert.deepEqual(
    sendings.map(({ notifications }) => notifications.map(({ id }) => id)),
    [['b-0', 'a-1'], ['a-2'], ['c-3']],
  );
  assert.deepEqual(sendings[0]?.counts, { delivered: 1, waiting: 0, failed: 0, none: 1 });
});

test('the reason of the server has words of its own', () => {
  for (const [state, problem, why] of [
    ['delivered', undefined, undefined],
    ['waiting', undefined, undefined],
    ['waiting', 'answered 503', 'busy'],
    ['waiting', 'no answer: ECONNREFUSED', 'busy'],
    ['failed', 'answered 403 forbidden', 'refused'],
    ['failed', 'it is too old', 'tooOld'],
    ['failed', 'the user is disabled or no longer exists', 'disabled'],
    ['failed', 'the sign-in by which the device was registered has ended', 'ended'],
    ['gone', 'answered 410', 'gone'],
    ['failed', 'something else', 'other'],
  ] as const) {
    assert.equal(whyOf(delivery(state, problem)), why, problem);
  }
});

test('nobody is sent to twice: the key of a person stays, and what stops one sending leaves the rest', async () => {
  const people = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
  const keys: string[] = [];
  const refuse = new Map<string, number>([['b', 503]]);
  const raw = {
    sendNotification: async ({ userId, idempotencyKey = '' }: { userId: string; idempotencyKey?: string }) => {
      keys.push(idempotencyKey);
      const status = refuse.get(userId);
      if (status !== undefined) throw Object.assign(new Error('refused'), { status });
      return { status: 204, headers: new Headers(), body: undefined };
    },
  };
  const client = { raw } as unknown as Parameters<typeof sendToAll>[0];
  const done: string[] = [];
  const { signal } = new AbortController();
  const send = (to: typeof people) =>
    sendToAll(client, { key: 'k', message: { body: 'B' }, people: to, signal, onSent: ({ id }) => void done.push(id) });
  const failed = await send(people);
  assert.deepEqual([failed.map(({ person }) => person.id), done], [['b'], ['a']]);
  refuse.clear();
  assert.deepEqual(await send(people.slice(1)), []);
  assert.deepEqual(keys, ['k-a', 'k-b', 'k-b', 'k-c']);
  refuse.set('a', 404);
  done.length = 0;
  const one = await send(people);
  assert.deepEqual(
    [one.map(({ person }) => person.id), done],
    [['a'], ['b', 'c']],
    'one who is gone stops nobody else',
  );
});
