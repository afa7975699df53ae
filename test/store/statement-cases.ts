// The requests whose statements stand in statements/*.sql, in the order in which they are made. Identifiers of collections
// and columns are fixed, so that the SQL is the same in every run.

import { createECDH } from 'node:crypto';
import { number, string, type TestApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { fetchChecked } from '../support/http-client.ts';
import type { Reply, SendOptions, TestServer } from '../support/server.ts';

const searchable = true;
const sortable = true;

const COLUMNS = [
  { id: 'ctitle00', name: 'Title', type: 'String', searchable, sortable },
  { id: 'ccode000', name: 'Code', type: 'String', searchable, unique: true },
  { id: 'cserial0', name: 'Serial', type: 'Number', unique: true },
  { id: 'csize000', name: 'Size', type: 'Number', searchable, sortable },
  { id: 'cday0000', name: 'Day', type: 'Date', searchable },
  {
    ...{ id: 'cauthor0', name: 'Author', type: 'ReferenceString', searchable, sortable },
    scheme: { collectionId: 'tauthors', columnId: 'caname00' },
  },
];

/** One collection with a column of most kinds, and what its references refer to. */
export const DOCUMENT = {
  timeZone: 'UTC',
  pushNotificationsEnabled: true,
  collections: [
    {
      ...{ id: 'tauthors', name: 'Authors' },
      columns: [{ id: 'caname00', name: 'Name', type: 'String', searchable, sortable }],
    },
    { id: 'tbooks00', name: 'Books', columns: COLUMNS },
    {
      ...{ id: 'tdiaries', name: 'Diaries', readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' },
      columns: [
        { id: 'cdtext00', name: 'Text', type: 'String', searchable },
        { id: 'cdfile00', name: 'File', type: 'Attachment' },
      ],
    },
  ],
};

export interface Setting {
  readonly server: TestServer;
  readonly app: TestApplication;
  /** What earlier cases have made, by a name. */
  readonly known: Map<string, string>;
}

export interface Case {
  readonly title: string;
  readonly request: (setting: Setting) => Promise<Reply>;
  readonly status?: number;
}

export interface Chapter {
  /** Of the file. */
  readonly name: string;
  readonly about: string;
  /** The tables whose statements, and transactions, are shown. A regular expression. */
  readonly tables: string;
  readonly cases: readonly Case[];
}

type Values = Record<string, unknown>;

const remember = (known: Map<string, string>, name: string, reply: Reply): Reply => {
  const bodies: { id: string }[] = Array.isArray(reply.body) ? reply.body : [reply.body];
  for (const [index, { id }] of bodies.entries()) known.set(index === 0 ? name : `${name}-${index}`, id);
  return reply;
};

/** A request below a collection, or below the application, `{name}` standing for what an earlier case has made. */
function request(
  title: string,
  line: string,
  { as, status, ...options }: SendOptions & { as?: string; status?: number } = {},
): Case {
  const [method = '', target = ''] = line.split(' ', 2);
  const rest = line.slice(method.length + target.length + 2);
  return {
    title: `${title}: ${line}`,
    ...(status === undefined ? {} : { status }),
    request: async ({ app, known }) => {
      const fill = (text: string) => text.replace(/\{([^{}":,]+)\}/g, (_, name: string) => known.get(name) ?? name);
      const query = rest === '' ? '' : `?${new URLSearchParams(fill(rest))}`;
      const json = options.json === undefined ? undefined : JSON.parse(fill(JSON.stringify(options.json)));
      const path = target.startsWith('/') ? target : `/collections/${target}`;
      const reply = await app.send(method, fill(path) + query, {
        ...options,
        ...(json === undefined ? {} : { json }),
      });
      if (as !== undefined) remember(known, as, reply);
      return reply;
    },
  };
}

const book = (title: string, more: Values = {}) => ({ values: { ctitle00: string(title), ...more } });
const author = (name: string) => ({
  cauthor0: { type: 'ReferenceString', collectionId: 'tauthors', columnId: 'caname00', recordId: name },
});
const LONG = 'x'.repeat(70_000);
const BOOKS = 'tbooks00/records';

const RECORDS: Chapter = {
  name: 'records',
  about: 'Creating, reading, changing and deleting records.',
  tables: 't[a-z0-9]{7}|fence',
  cases: [
    request('create one', 'POST tauthors/records', { json: { values: { caname00: string('Ann') } }, as: 'Ann' }),
    request('create one with a reference', `POST ${BOOKS}`, {
      json: book('First', { ccode000: string('a'), cserial0: number(1), ...author('{Ann}') }),
      as: 'first',
    }),
    request('create a batch', `POST ${BOOKS}`, {
      json: [book('Second', { ccode000: string('b') }), book('Third', { cserial0: number(3) })],
      as: 'second',
    }),
    request('create one whose unique values are taken', `POST ${BOOKS}`, {
      json: book('Fourth', { ccode000: string('a'), cserial0: number(4) }),
      status: 400,
    }),
    request('create a batch of which one is refused', `POST ${BOOKS}`, {
      json: [book('Fifth', { ccode000: string('e') }), book('Sixth', { ccode000: string('a') })],
      status: 400,
    }),
    request('create a long one', `POST ${BOOKS}`, { json: book(LONG), as: 'long' }),
    request('get one', 'GET tauthors/records/{Ann}'),
    request('get one with a reference', `GET ${BOOKS}/{first}`),
    request('get a long one', `GET ${BOOKS}/{long}`),
    request('replace one', `PUT ${BOOKS}/{first}`, { json: book('First again', { ccode000: string('a') }) }),
    request('replace one that has changed', `PUT ${BOOKS}/{first}`, {
      ...{ json: book('First again'), headers: { 'if-match': `"${'0'.repeat(26)}"` }, status: 412 },
    }),
    request('change some columns of one', `PUT ${BOOKS}/{first}`, {
      json: { ...book('First once more'), replace: false },
    }),
    request('update a batch', `PUT ${BOOKS}`, {
      json: [
        { id: '{first}', ...book('1', { ccode000: string('a') }) },
        { id: '{second}', ...book('2', { ccode000: string('b') }) },
      ],
    }),
    request('update a batch that exchanges unique values', `PUT ${BOOKS}`, {
      json: [
        { id: '{first}', ...book('1') },
        { id: '{second}', ...book('2', { ccode000: string('a') }) },
      ],
    }),
    request('update a batch with a long one', `PUT ${BOOKS}`, {
      json: [
        { id: '{long}', values: { csize000: number(1) }, replace: false },
        { id: '{first}', ...book('1', { ccode000: string('b') }) },
      ],
    }),
    request('upsert one that is new', `PATCH ${BOOKS}/upsert/ccode000`, {
      json: book('New', { ccode000: string('n') }),
    }),
    request('upsert one that is there', `PATCH ${BOOKS}/upsert/ccode000`, {
      json: book('Newer', { ccode000: string('n') }),
    }),
    request('upsert a batch', `PATCH ${BOOKS}/upsert/ccode000`, {
      json: [book('Newest', { ccode000: string('n') }), book('Other', { ccode000: string('o') })],
    }),
    request('upsert a batch that names a record twice', `PATCH ${BOOKS}/upsert/ccode000`, {
      json: [book('P', { ccode000: string('p') }), book('Q', { ccode000: string('p') })],
    }),
    request('delete one', `DELETE ${BOOKS}/{second-1}`, { status: 204 }),
    request('delete one that is not there', `DELETE ${BOOKS}/{second-1}`, { status: 404 }),
    request('delete those that a search finds', `DELETE ${BOOKS} search=Title:new`, { status: 204 }),
    request('delete those that one criterion finds by an index', `DELETE ${BOOKS} search=Code="p"`, { status: 204 }),
  ],
};

const list = (title: string, query: string): Case => request(title, `GET ${BOOKS} ${query}`);
/** The second page, to which the Link header of the first leads. The statements of both are shown. */
const next = (title: string, query: string): Case => ({
  title: `${title}: the page after GET ${BOOKS} ${query}`,
  request: async ({ app, server }) => {
    const first = await app.send('GET', `/collections/${BOOKS}?${new URLSearchParams(query)}`);
    const address = /^<http:\/\/[^/]+([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    return server.send('GET', address, { token: app.admin.token });
  },
});

const LISTS: Chapter = {
  name: 'lists',
  about: 'Lists of records in each kind of order.',
  tables: 't[a-z0-9]{7}|fence',
  cases: [
    request('fill', `POST ${BOOKS}`, {
      json: [
        ...['A', 'B', 'C'].map((title, index) => book(title, { csize000: number(index), ...author('{Ann}') })),
        ...['D', 'E', 'F'].map((title) => book(title)),
      ],
      as: 'A',
    }),
    list('newest first', ''),
    list('a page further on', 'skip=2&limit=2'),
    list('after a record', 'after={A}&limit=2'),
    next('after a position', 'limit=2'),
    list('by the name of the creator', 'sortKey=createdBy&sortOrder=ascending&limit=2'),
    list('by a number', 'sortKey=column&sortColumnId=csize000&sortOrder=ascending&limit=2'),
    next(
      'by a number, after a record that has none',
      'sortKey=column&sortColumnId=csize000&sortOrder=ascending&limit=2',
    ),
    next(
      'by a number, after a record that has one',
      'sortKey=column&sortColumnId=csize000&sortOrder=descending&limit=2',
    ),
    list('by a text that may be cut', 'sortKey=column&sortColumnId=ctitle00&sortOrder=ascending&limit=2'),
    list('by a text of which one is cut', 'sortKey=column&sortColumnId=ctitle00&sortOrder=descending&limit=2'),
    next('after a text that is cut', 'sortKey=column&sortColumnId=ctitle00&sortOrder=descending&limit=1'),
    list('by a reference', 'sortKey=column&sortColumnId=cauthor0&sortOrder=ascending&limit=2'),
    next(
      'by a reference, after a record that has one',
      'sortKey=column&sortColumnId=cauthor0&sortOrder=descending&limit=2',
    ),
    next(
      'by a reference, after a record that has none',
      'sortKey=column&sortColumnId=cauthor0&sortOrder=ascending&limit=2',
    ),
    list('by a reference, further on', 'sortKey=column&sortColumnId=cauthor0&sortOrder=descending&skip=2&limit=2'),
    {
      title: 'as a user who may only read what they created: GET tdiaries/records',
      request: async ({ app }) => {
        const { token } = await app.addPerson('Bea');
        return app.send('GET', '/collections/tdiaries/records', { token });
      },
    },
  ],
};

const SEARCHES: Chapter = {
  name: 'searches',
  about:
    'Lists of what a search finds. The conditions themselves, for every type and operator, stand in test/search/golden.',
  tables: 't[a-z0-9]{7}|fence',
  cases: [
    list('equal to a unique text', 'search=Code="a"'),
    list('equal to a number', 'search=Size=1'),
    list('contains', 'search=Title:first'),
    list('contains, anywhere', 'search=first'),
    list('and', 'search=Title:first AND Size>0'),
    list('or', 'search=Title:first OR Size>0'),
    list('not', 'search=NOT Title:first'),
    list('a day', 'search=Day=today'),
    list('a referred value', 'search=Author:ann'),
    list('a page further on', 'search=Title:first&skip=1'),
    next('after a position', 'search=Size>=0&limit=1'),
  ],
};

const figures = (title: string, query: string): Case => request(title, `GET ${BOOKS}/figures ${query}`);

const FIGURES: Chapter = {
  name: 'figures',
  about: 'Figures over records: of all that a search finds, and of groups.',
  tables: 't[a-z0-9]{7}|fence',
  cases: [
    figures('a count', ''),
    figures('a sum and an average of what a search finds', 'search=Title:first&measure=sum:csize000,average:csize000'),
    figures('extremes of a column that is not searchable', 'measure=minimum:cserial0,maximum:cserial0'),
    figures('by a text that may be cut', 'groupBy=ccode000'),
    figures('by a number', 'groupBy=csize000&measure=count,sum:cserial0'),
    figures('by months of a date', 'groupBy=cday0000:month'),
    figures('by weeks of a time', 'groupBy=createdAt:week&timezone=Europe/Berlin'),
    figures('by users', 'groupBy=createdBy'),
    {
      title: 'as a user who may only read what they created: GET tdiaries/records/figures',
      request: async ({ app }) => {
        const { token } = await app.addPerson('Dan');
        return app.send('GET', '/collections/tdiaries/records/figures', { token });
      },
    },
  ],
};

const VIEWS: Chapter = {
  name: 'views',
  about: 'Views of a collection, own and shared.',
  tables: 'views',
  cases: [
    request('create one', 'POST tbooks00/views', { json: { name: 'a', settings: {} }, as: 'view' }),
    request('create one that is shared', 'POST tbooks00/views', { json: { name: 'b', settings: {}, shared: true } }),
    request('list them', 'GET tbooks00/views'),
    request('get one', 'GET tbooks00/views/{view}'),
    request('change one', 'PUT tbooks00/views/{view}', { json: { name: 'c', settings: { d: 1 } } }),
    request('delete one', 'DELETE tbooks00/views/{view}', { status: 204 }),
  ],
};

const USER = {
  ...{ email: 'cy@example.com', password: 'Secret-Passw0rd', admin: false, apiAccess: true },
  ...{ managementApiAccess: false, profile: { name: 'Standard' } },
};

const byOperator = (title: string, path: string): Case => ({
  title: `${title}: GET /operator/v1/applications/…/${path}`,
  request: ({ app, server }) => server.operator('GET', `/applications/${app.id}/${path}`),
});

const PEOPLE: Chapter = {
  name: 'people',
  about: 'Users, tokens and sessions.',
  tables: 'users|tokens|sessions',
  cases: [
    request('create a user', 'POST /management/users', { json: { name: 'Cy', ...USER }, as: 'Cy' }),
    request('list users', 'GET /management/users'),
    request('list their names', 'GET /users'),
    request('get a user', 'GET /management/users/{Cy}'),
    request('change a user', 'PUT /management/users/{Cy}', { json: { ...USER, disabled: false } }),
    request('create a token', 'POST /users/{Admin}/tokens', { json: { name: 'one' }, as: 'token' }),
    request('list tokens', 'GET /users/{Admin}/tokens'),
    byOperator('list all tokens of the application', 'tokens?limit=10'),
    byOperator('find users by name and e-mail address', 'users?name=cy&email=example'),
    request('delete a token', 'DELETE /users/{Admin}/tokens/{token}', { status: 204 }),
    {
      title: 'sign in, ask, and sign out: POST, GET and DELETE /session',
      status: 204,
      request: async ({ app, server, known }) => {
        const browser = new Client(server.address, app.id);
        await browser.signIn(known.get('Cy') ?? '');
        await browser.send('GET', '/session');
        return browser.send('DELETE', '/session');
      },
    },
    request('delete a user', 'DELETE /management/users/{Cy}', { status: 204 }),
  ],
};

const ATTACHMENTS: Chapter = {
  name: 'attachments',
  about: 'Attachments, and the records that hold them.',
  tables: 'attachments',
  cases: [
    request('store a file', 'POST tdiaries/attachments', {
      raw: 'text',
      headers: { 'content-type': 'text/plain', 'content-disposition': "attachment; filename*=UTF-8''a.txt" },
      as: 'file',
    }),
    {
      title: 'fetch a file: GET tdiaries/attachments/{file}',
      request: ({ app, known }) => app.send('HEAD', `/collections/tdiaries/attachments/${known.get('file')}`),
    },
    request('hold it in a record', 'POST tdiaries/records', {
      json: { values: { cdfile00: { type: 'Attachment', id: '{file}' } } },
    }),
  ],
};

const keyed = (key: string) => ({ 'idempotency-key': key });

const IDEMPOTENCY: Chapter = {
  name: 'idempotency',
  about: 'Requests with an Idempotency-Key.',
  tables: 'idempotency_keys',
  cases: [
    request('create one', 'POST tauthors/records', {
      ...{ json: { values: { caname00: string('Once') } }, headers: keyed('one') },
    }),
    request('create one again', 'POST tauthors/records', {
      ...{ json: { values: { caname00: string('Once') } }, headers: keyed('one') },
    }),
    request('create one that is refused', 'POST tauthors/records', {
      ...{ json: { values: { cnowhere: string('x') } }, headers: keyed('refused'), status: 400 },
    }),
    request('store a file', 'POST tdiaries/attachments', { raw: 'text', headers: keyed('file') }),
    request('store a file again', 'POST tdiaries/attachments', { raw: 'text', headers: keyed('file') }),
  ],
};

const P256DH = createECDH('prime256v1').generateKeys('base64url');

const NOTIFICATIONS: Chapter = {
  name: 'notifications',
  about: 'Devices of users, and sending to them.',
  tables: 'devices|notifications|deliveries',
  cases: [
    request('register a device', 'POST /users/{Admin}/devices', {
      json: {
        transport: 'webPush',
        subscription: {
          endpoint: 'https://push.example.com/x',
          keys: { auth: Buffer.alloc(16).toString('base64url'), p256dh: P256DH },
        },
      },
      as: 'device',
    }),
    request('list devices', 'GET /users/{Admin}/devices'),
    request('delete a device', 'DELETE /users/{Admin}/devices/{device}', { status: 204 }),
    request('send', 'POST /users/{Admin}/notifications', { json: { body: 'text' }, status: 204 }),
    request('what was sent', 'GET /notifications?limit=2'),
  ],
};

const DAY_MS = 24 * 60 * 60_000;

const log = (title: string, query: string): Case => ({
  title: `${title}: GET /management/userActivityLogs ${query}`,
  request: async ({ app, server }) => {
    const [startDate, endDate] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
    const path = `/v1/${app.id}/management/userActivityLogs?startDate=${startDate}&endDate=${endDate}&${query}`;
    // Lines of JSON, which the server streams.
    const reply = await fetchChecked(server.address + path, {
      headers: { authorization: `Bearer ${app.admin.token}` },
    });
    return { status: reply.status, headers: reply.headers, text: await reply.text(), body: undefined };
  },
});

const ACTIVITY: Chapter = {
  name: 'activity',
  about: 'The activity log. Its entries are written together with what they tell of: see the other files.',
  tables: 'activity',
  cases: [
    log('what was logged in a span of time', ''),
    request('the newest entries', 'GET /management/userActivityLogs/entries?limit=2'),
    request(
      'the newest of a user in a collection',
      'GET /management/userActivityLogs/entries?userId=operator&kind=record.delete&collectionId=tauthors&thumbnails=false&limit=2',
    ),
    request(
      'counts by day',
      'GET /management/userActivityLogs/figures?startDate=2026-01-01T00:00:00.000Z&endDate=2026-01-02T00:00:00.000Z&kind=record',
    ),
  ],
};

const publish = (title: string, columns: readonly object[]): Case => ({
  title: `${title}: POST /operator/v1/applications`,
  request: ({ server, app }) =>
    server.operator('POST', '/applications?allowDataLoss=true', {
      ...{ id: app.id, name: 'Test', activityLogEnabled: true, ...DOCUMENT },
      collections: DOCUMENT.collections.map((collection) => ({
        ...collection,
        ...(collection.id === 'tauthors' ? { columns } : {}),
      })),
    }),
});

const PUBLISHING: Chapter = {
  name: 'publishing',
  about: 'What publishing does to the table of a collection, and to its records.',
  tables: 'tauthors|fence',
  cases: [
    publish('another column, and a unique one', [
      { id: 'caname00', name: 'Name', type: 'String', searchable, sortable, unique: true },
      { id: 'cborn000', name: 'Born', type: 'Date', searchable },
    ]),
    publish('a column less', [{ id: 'caname00', name: 'Name', type: 'String', searchable, sortable, unique: true }]),
  ],
};

export const CHAPTERS: readonly Chapter[] = [
  ...[RECORDS, LISTS, SEARCHES, FIGURES, VIEWS, PEOPLE, ATTACHMENTS, IDEMPOTENCY, NOTIFICATIONS, ACTIVITY, PUBLISHING],
];
