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

const PARTS: Readonly<Record<string, Part>> = {
  'main.ts': { mayImport: ['cli', 'config.ts'], because: 'the entry hands over to the commands and does nothing else' },
  'config.ts': { mayImport: ['setting-values.ts'], because: 'settings are read before anything else exists' },
  'setting-values.ts': { mayImport: [], because: 'how a text is read depends on the text alone' },
  'faults.ts': { mayImport: [], because: 'every part may fail deliberately, so faults know no part' },
  'context.ts': {
    mayImport: ['store', 'images', 'push', 'mail', 'sign-on', 'domain', 'wire'],
    because: 'it only names what an operation is given',
  },
  'trip.ts': { mayImport: [], because: 'a request passes every part on its way, and belongs to none' },
  'turns.ts': { mayImport: [], because: 'whoever has a queue has turns in it, whatever waits there' },
  'byte-budget.ts': { mayImport: [], because: 'what holds memory counts it, whatever it is for' },
  'loop-time.ts': { mayImport: [], because: 'what was used of the event loop is a number for each application' },
  'slices.ts': {
    mayImport: ['loop-time.ts'],
    because: 'work is cut into slices whatever it does, by what its application has used',
  },
  'within.ts': { mayImport: [], because: 'whoever waits has a bound, whatever it waits for' },
  'observe.ts': {
    mayImport: ['log-errors.ts', 'log-floods.ts'],
    because: 'every part may be worth noticing, so events know no part',
  },
  'log-errors.ts': { mayImport: [], because: 'what a log shows of an error depends on the error alone' },
  'log-floods.ts': { mayImport: [], because: 'how often a log tells of the same does not depend on what it is' },
  inside: { mayImport: [], because: 'who watches is told: figures and traces reach into no part by themselves' },
  wire: { mayImport: [], because: 'public shapes depend on nothing; all else depends on them' },
  domain: { mayImport: ['wire'], because: 'rules are pure: no storage, no HTTP, no clock' },
  store: { mayImport: ['domain', 'wire'], because: 'SQL and bytes know nothing of requests and callers' },
  gate: {
    mayImport: ['store', 'domain', 'wire'],
    because: 'whether somebody may pass is decided before any operation',
  },
  mail: { mayImport: ['domain'], because: 'what a mail says and how it goes out concerns nobody’s rules' },
  push: { mayImport: ['domain', 'wire'], because: 'what carries messages knows nothing of queues and users' },
  images: { mayImport: [], because: 'pictures are made in a process of their own, from bytes alone' },
  'sign-on': {
    mayImport: ['domain'],
    because: 'a provider of single sign-on says who somebody is; what that is worth here is decided elsewhere',
  },
  operations: {
    mayImport: ['store', 'images', 'push', 'mail', 'sign-on', 'domain', 'wire'],
    because: 'the story of a verb knows no HTTP and no caller’s door',
  },
  http: {
    mayImport: ['gate', 'operations', 'domain', 'wire'],
    because: 'http reaches data through gate and operations only; a shortcut to store would pass no check',
  },
  embedded: { mayImport: [], because: 'the bundled PostgreSQL is a process like any other, without knowledge of ours' },
  jobs: { mayImport: ['operations', 'store', 'domain'], because: 'jobs enter by the side door, below http and gate' },
  demo: { mayImport: ['wire'], because: 'demonstration data goes in through the front door, as a client’s would' },
  cli: { mayImport: [EVERYTHING], because: 'the one place where things are wired together' },
};
const OPEN_TO_ALL = [
  'faults.ts',
  'context.ts',
  'observe.ts',
  'trip.ts',
  'turns.ts',
  'byte-budget.ts',
  'within.ts',
  'slices.ts',
  'loop-time.ts',
];
const OUTSIDE_SRC: Readonly<Record<string, readonly string[]>> = { cli: ['client'] };

/** `src/store/db.ts` is of part `store`, `src/config.ts` of part `config.ts`; undefined outside src. */
function partOf(path: string): string | undefined {
  const [top, part] = path.split('/');
  return top === 'src' ? part : undefined;
}

function allowed(from: string, target: string): boolean {
  const part = partOf(target);
  if (part === undefined) return (OUTSIDE_SRC[from] ?? []).includes(target.split('/')[0] ?? '');
  if (part === from || OPEN_TO_ALL.includes(part)) return true;
  const permitted = PARTS[from]?.mayImport ?? [];
  return permitted.includes(part) || (permitted.includes(EVERYTHING) && part !== 'main.ts');
}

const dependencyRule: Rule = {
  name: 'imports go downhill',
  because: 'each part of src/ imports only what the table in test/tidy/imports.test.ts gives it',
  find(file) {
    const from = partOf(file.path) ?? '';
    const part = PARTS[from];
    if (part === undefined) return [{ path: file.path, line: 1, what: `src/${from} has no row in the table of parts` }];
    const list = [...part.mayImport, ...OPEN_TO_ALL].map((name) => (name === EVERYTHING ? 'everything' : name));
    return importsOf(file).flatMap(({ line, specifier, target }): Violation[] => {
      if (target === undefined || allowed(from, target)) return [];
      const what = `imports ${specifier}, but ${from} may import ${list.join(', ')} only: ${part.because}`;
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
  /^(?:node:(?:fs|net|http|https|http2|child_process|dns|tls|timers|worker_threads)\b|pg$|fastify$)/;
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

const sources = filesIn(['src'], ['.ts']);
testRule(dependencyRule, sources);
testRule(pureDomain, sources);

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
  assertNone('no cycles', 'files that import each other can only be understood together', circular(sources));
});
