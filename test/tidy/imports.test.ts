// Imports go downhill: who may know whom inside src/, nothing that nobody imports, and no cycles. The table below is
// the one of docs/architecture.md.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cyclesOf, graphOf, importsOf, reachableFrom } from './imports.ts';
import { assertNone, type Rule, testRule, type Violation } from './rule.ts';
import { type File, filesIn } from './tree.ts';

const EVERYTHING = '*';

interface Part {
  readonly mayImport: readonly string[];
  readonly because: string;
}

/** The layers and what stands beside them. */
const PARTS: Readonly<Record<string, Part>> = {
  'main.ts': { mayImport: ['cli'], because: 'the entry hands over to the commands and does nothing else' },
  settings: { mayImport: ['domain'], because: 'settings are read before anything exists that is more than a rule' },
  'faults.ts': { mayImport: [], because: 'every part may fail deliberately, so faults know no part' },
  'context.ts': {
    mayImport: ['store', 'images', 'push', 'mail', 'single-sign-on', 'domain', 'wire'],
    because: 'it only names what an operation is given',
  },
  request: {
    mayImport: [],
    because: 'a request passes through every part with its scope and its signal, and belongs to none',
  },
  load: {
    mayImport: [],
    because: 'queues, budgets and slices share the machine among tenants, whatever waits in them',
  },
  events: { mayImport: [], because: 'every part reports events, so events know no part' },
  monitoring: { mayImport: [], because: 'metrics and traces are made from events; they reach into no part' },
  wire: { mayImport: [], because: 'public shapes depend on nothing; everything else depends on them' },
  domain: { mayImport: ['wire'], because: 'rules are pure: no storage, no HTTP, no clock' },
  store: { mayImport: ['domain', 'wire'], because: 'SQL and bytes know nothing of requests and callers' },
  gate: {
    mayImport: ['store', 'domain', 'wire'],
    because: 'whether a request may pass is decided before any operation',
  },
  mail: { mayImport: ['domain'], because: 'what a mail says and how it is sent involves no rule of an application' },
  push: { mayImport: ['domain', 'wire'], because: 'a push transport knows nothing of queues and users' },
  images: { mayImport: [], because: 'thumbnails are made in a process of their own, from bytes alone' },
  'single-sign-on': {
    mayImport: ['domain'],
    because: 'an identity provider says who a person is; what that is worth here is decided elsewhere',
  },
  operations: {
    mayImport: ['store', 'images', 'push', 'mail', 'single-sign-on', 'domain', 'wire'],
    because: 'an operation knows no HTTP and no credentials',
  },
  http: {
    mayImport: ['gate', 'operations', 'domain', 'wire'],
    because: 'http reaches data through gate and operations only; a shortcut to store would skip the checks',
  },
  moving: {
    mayImport: ['domain', 'wire'],
    because: 'import and export run in browsers too: no files, no streams of Node, nothing of the server',
  },
  embedded: { mayImport: [], because: 'the bundled PostgreSQL is a process like any other, without knowledge of ours' },
  jobs: { mayImport: ['operations', 'store', 'domain'], because: 'jobs run below http and gate' },
  cli: { mayImport: [EVERYTHING], because: 'the one place where the parts are wired together' },
};
const OPEN_TO_ALL = ['faults.ts', 'context.ts', 'events', 'request', 'load'];
const OUTSIDE_SRC: Readonly<Record<string, readonly string[]>> = { cli: ['client', 'demo'], moving: ['client'] };

/** Files that lie in the layer itself. */
const FLOOR = '';

/** The rooms of each layer, and which of the same layer each may import. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, Part>>>> = {
  domain: {
    [FLOOR]: { mayImport: [], because: 'identifiers, hashes and quotas serve every rule' },
    dates: { mayImport: [], because: 'days and time zones need no other rule' },
    attachments: { mayImport: [], because: 'file names and media types need no other rule' },
    values: { mayImport: [FLOOR, 'dates'], because: 'a value type knows itself and the calendar' },
    search: { mayImport: [FLOOR, 'dates', 'values'], because: 'a search compares values' },
    records: {
      mayImport: [FLOOR, 'dates', 'search', 'values'],
      because: 'a record is its values, what is searched of them and how they are grouped',
    },
    definition: {
      mayImport: [FLOOR, 'dates', 'records', 'values'],
      because: 'a definition says which values and columns records have',
    },
    people: { mayImport: [FLOOR], because: 'rules on users do not depend on what an application stores' },
    activity: { mayImport: [FLOOR, 'definition'], because: 'a log entry names what the definition names' },
    backup: { mayImport: [], because: 'the form of an archive does not depend on what is in it' },
  },
  store: {
    database: { mayImport: [], because: 'connections and transactions know no table' },
    nodes: { mayImport: ['database'], because: 'what servers tell each other concerns every table' },
    cluster: { mayImport: ['database'], because: 'where an application lies is known before what it holds' },
    activity: { mayImport: ['database'], because: 'writes of every room are logged' },
    records: { mayImport: ['database'], because: 'the tables of collections stand alone' },
    blobs: { mayImport: [], because: 'bytes lie outside the database' },
    attachments: { mayImport: ['database', 'records'], because: 'an attachment is held by records' },
    people: { mayImport: ['database', 'nodes', 'activity'], because: 'users are the same whatever they store' },
    notifications: { mayImport: ['database', 'people'], because: 'a notification goes to users' },
    views: { mayImport: ['database'], because: 'what a client keeps for itself is looked into by no other room' },
    idempotency: { mayImport: ['database'], because: 'replies are kept alike, whatever they report' },
    backup: { mayImport: ['database'], because: 'a backup copies tables as they are' },
    applications: {
      mayImport: ['database', 'cluster', 'nodes', 'activity', 'people', 'records'],
      because: 'publishing changes the tables of everything that an application has',
    },
  },
  gate: {
    [FLOOR]: {
      mayImport: [],
      because: 'admission and permission come before and after the credentials, and need none',
    },
    throttling: { mayImport: [], because: 'failures are counted by address and name, whatever failed' },
    credentials: { mayImport: ['throttling'], because: 'wrong credentials are slowed down' },
    quotas: { mayImport: [], because: 'an operation is counted after its caller is known' },
  },
  operations: {
    [FLOOR]: { mayImport: [], because: 'what every operation begins with knows none of them' },
    activity: { mayImport: [FLOOR], because: 'every room logs' },
    attachments: { mayImport: [FLOOR, 'activity'], because: 'a file is stored before a record refers to it' },
    records: { mayImport: [FLOOR, 'activity', 'attachments'], because: 'records hold attachments' },
    applications: { mayImport: [FLOOR, 'activity', 'records'], because: 'publishing rewrites records' },
    people: { mayImport: [FLOOR, 'activity', 'applications'], because: 'people belong to applications' },
    notifications: { mayImport: [FLOOR, 'activity'], because: 'a notification is sent on request' },
    views: { mayImport: [FLOOR], because: 'a view says how records are shown and touches none' },
    upkeep: {
      mayImport: [FLOOR, 'attachments', 'applications', 'people', 'notifications'],
      because: 'jobs finish what operations of every room began',
    },
    backup: { mayImport: ['attachments'], because: 'a backup reads and writes the files of attachments' },
    doctor: { mayImport: [FLOOR, 'attachments', 'upkeep'], because: 'the doctor finds what upkeep would remove' },
  },
  http: {
    replies: { mayImport: [], because: 'a reply is data until it is sent' },
    clients: { mayImport: ['replies'], because: 'a connection is ended with a last reply' },
    requests: { mayImport: ['clients'], because: 'a body is read from a connection' },
    openapi: { mayImport: ['replies', 'requests'], because: 'the document is made from rows that it is given' },
    routes: {
      mayImport: ['openapi', 'replies', 'requests'],
      because: 'a row of the table names shapes and replies',
    },
    [FLOOR]: {
      mayImport: ['clients', 'openapi', 'replies', 'requests', 'routes'],
      because: 'the road passes through every room',
    },
  },
};

/** `src/store/database/database.ts` is of part `store` and room `database`, `src/faults.ts` of part `faults.ts`. */
function placeOf(path: string): { part: string; room: string } | undefined {
  const [top, part, ...rest] = path.split('/');
  if (top !== 'src' || part === undefined) return undefined;
  return { part, room: rest.length > 1 ? (rest[0] ?? FLOOR) : FLOOR };
}

const partOf = (path: string): string | undefined => placeOf(path)?.part;

function allowed(path: string, target: string): boolean {
  const [from, to] = [placeOf(path), placeOf(target)];
  if (from === undefined) return false;
  if (to === undefined) return (OUTSIDE_SRC[from.part] ?? []).includes(target.split('/')[0] ?? '');
  if (to.part === from.part) {
    const rooms = ROOMS[from.part];
    return rooms === undefined || to.room === from.room || rooms[from.room]?.mayImport.includes(to.room) === true;
  }
  if (OPEN_TO_ALL.includes(to.part)) return true;
  const permitted = PARTS[from.part]?.mayImport ?? [];
  return permitted.includes(to.part) || (permitted.includes(EVERYTHING) && to.part !== 'main.ts');
}

const dependencyRule: Rule = {
  name: 'imports go downhill',
  because: 'each part of src/ imports only what the table in test/tidy/imports.test.ts gives it',
  find(file) {
    const from = placeOf(file.path);
    const part = PARTS[from?.part ?? ''];
    if (from === undefined || part === undefined) {
      return [{ path: file.path, line: 1, what: `src/${from?.part} has no row in the table of parts` }];
    }
    const rooms = ROOMS[from.part];
    const room = rooms?.[from.room];
    if (rooms !== undefined && room === undefined) {
      return [{ path: file.path, line: 1, what: `src/${from.part}/${from.room} has no row in the table of rooms` }];
    }
    return importsOf(file).flatMap(({ line, specifier, target }): Violation[] => {
      if (target === undefined || allowed(file.path, target)) return [];
      const { name, row } =
        partOf(target) === from.part && room !== undefined
          ? { name: `${from.part}/${from.room}`, row: room }
          : { name: from.part, row: part };
      const list = row.mayImport.map((each) => (each === EVERYTHING ? 'everything' : each || 'the layer itself'));
      const what = `imports ${specifier}, but ${name} may import ${list.join(', ') || 'no other'} only: ${row.because}`;
      return [{ path: file.path, line, what }];
    });
  },
  good: [
    {
      path: 'src/http/app.ts',
      text: "import { permit } from '../gate/permit.ts';\nimport { x } from './bind.ts';\n",
    },
  ],
  bad: [{ path: 'src/http/app.ts', text: "import type { Reader } from '../store/db.ts';\n" }],
};

// Randomness is not in the list: making identifiers is a rule of the domain.
const INPUT_AND_OUTPUT =
  /^(?:node:(?:fs|net|http|https|http2|child_process|dns|tls|timers|worker_threads)\b|pg$|find-my-way$)/;
const CLOCK = /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(/g;

const pureDomain: Rule = {
  name: 'domain has no clock and no input or output',
  because: 'rules that depend on their arguments alone can be tested with thousands of made-up values',
  find(file) {
    if (partOf(file.path) !== 'domain') return [];
    const doors = importsOf(file).filter(({ specifier }) => INPUT_AND_OUTPUT.test(specifier));
    const clocks = [...file.text.matchAll(CLOCK)];
    return [
      ...doors.map(({ line, specifier }) => ({ path: file.path, line, what: `imports ${specifier}` })),
      ...clocks.map((match) => ({
        path: file.path,
        line: file.text.slice(0, match.index).split('\n').length,
        what: `asks the clock: ${match[0]}`,
      })),
    ];
  },
  good: [{ path: 'src/domain/dates.ts', text: "import { createHash } from 'node:crypto';\nconst a = new Date(at);\n" }],
  bad: [{ path: 'src/domain/dates.ts', text: "import { readFile } from 'node:fs/promises';\nconst a = Date.now();\n" }],
};

const systemTests: Rule = {
  name: 'system tests know only the client and the command line',
  because: 'they show that a person and a program get along without the sources of the server',
  find: (file) =>
    importsOf(file).flatMap(({ line, specifier, target }) =>
      /^node:/.test(specifier) || /^(?:client\/src|test\/system)\/|\bbin\/cartulary\.ts$/.test(target ?? '')
        ? []
        : [{ path: file.path, line, what: `imports ${specifier}` }],
    ),
  good: [{ path: 'test/system/a.test.ts', text: "import '../../client/src/main.ts';\nimport './b.ts';\n" }],
  bad: [
    { path: 'test/system/a.test.ts', text: "import { x } from '../../src/faults.ts';\n" },
    { path: 'test/system/a.test.ts', text: "import { run } from '../support/command.ts';\n" },
    { path: 'test/system/a.test.ts', text: "new URL('../../src/main.js', import.meta.url);\n" },
    { path: 'test/system/a.test.ts', text: "import pg from 'pg';\n" },
  ],
};

const sources = filesIn(['src'], ['.ts']);
testRule(dependencyRule, sources);
testRule(pureDomain, sources);
testRule(systemTests, filesIn(['test/system'], ['.ts']));

test('the dependency rule sees every form of import', () => {
  const forms = [
    "import '../store/db.ts';",
    "import db, { type X } from '../store/db.ts';",
    "import {\n  a,\n  b,\n} from '../store/db.ts';",
    "const db = await import('../store/db.ts');",
    "type Reader = import('../store/db.ts').Reader;",
    "export { a } from '../store/db.ts';",
    "new Worker(new URL('../store/db.js', import.meta.url));",
  ];
  for (const text of forms) assert.equal(dependencyRule.find({ path: 'src/http/a.ts', text }).length, 1, text);
  const innocent = "// import a from '../store/db.ts'\nconst a = \"import b from '../store/db.ts'\";";
  assert.deepEqual(dependencyRule.find({ path: 'src/http/a.ts', text: innocent }), []);
});

test('settings are read by main and cli only, and passed on as values', () => {
  const text = "import { read } from '../config.ts';";
  assert.equal(dependencyRule.find({ path: 'src/http/a.ts', text }).length, 1);
  assert.equal(dependencyRule.find({ path: 'src/cli/serve.ts', text }).length, 0);
});

const unreachable = (files: readonly File[]): Violation[] => {
  const reached = reachableFrom(graphOf(files), 'src/main.ts');
  return files
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({ path, line: 1, what: 'nothing imports it' }));
};
const circular = (files: readonly File[]): Violation[] =>
  cyclesOf(graphOf(files)).map((cycle) => ({ path: cycle[0] ?? '', line: 1, what: cycle.join(' → ') }));

test('every file of src/ is reached from main', () => {
  const main = { path: 'src/main.ts', text: "import './cli/a.ts';" };
  const a = { path: 'src/cli/a.ts', text: '' };
  assert.deepEqual(unreachable([main, a]), []);
  assert.deepEqual(
    unreachable([main, a, { path: 'src/cli/b.ts', text: '' }]).map(({ path }) => path),
    ['src/cli/b.ts'],
  );
  assertNone('every file is reached', 'what nothing imports is dead and misleads its readers', unreachable(sources));
});

test('no file imports itself by a detour', () => {
  const a = { path: 'src/a.ts', text: "import './b.ts';" };
  const back = { path: 'src/b.ts', text: "import type { A } from './a.ts';" };
  assert.deepEqual(circular([a, { ...back, text: '' }]), []);
  assert.equal(circular([a, back])[0]?.what, 'src/a.ts → src/b.ts → src/a.ts');
  const files = [...sources, ...filesIn(['client/src'], ['.ts'])];
  assertNone('no cycles', 'files that import each other can only be understood together', circular(files));
});
