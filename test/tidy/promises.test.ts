// What every test promises: it asserts something, and it sees replies through a client that checks them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches, type Rule, testRule, type Violation } from './rule.ts';
import { scan } from './scan.ts';
import { statementAt } from './statements.ts';
import { type File, filesIn } from './tree.ts';

/** Functions of test/support that throw when something is not as it must be, besides those called `assert…`. */
const ASSERTING = new Set([
  // The reply must be this refusal.
  'refused',
  'refusedBytes',
  // The reply must be a success.
  'uploaded',
  // It must happen in time.
  'until',
  'eventually',
  // The server must have ended the connection.
  'over',
]);

const asserts = (code: string): boolean =>
  /\bassert|\brejects\b|\bexpect/.test(code) ||
  [...code.matchAll(/\b\w+(?=\()/g)].some(([name]) => ASSERTING.has(name));

const DECLARATION = /^\s*(?:export )?(?:const|let|(?:async )?function) (\w+)/;
const METHOD = /^\s*(?:async )?(\w+)\(.*\{$/;

/** Tests that call nothing that could fail them: neither an assertion, nor a function of the same file that makes one. */
function withoutAssertion({ path, text }: File): Violation[] {
  const lines = scan(text).code.split('\n');
  const functions = new Map<string, string>();
  const tests: { readonly line: number; readonly body: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const body = () => statementAt(lines, index).join('\n');
    const [, name] = DECLARATION.exec(line) ?? METHOD.exec(line) ?? [];
    if (/^\s*(?:it|test)\(/.test(line)) tests.push({ line: index + 1, body: body() });
    else if (name !== undefined) functions.set(name, `${functions.get(name) ?? ''}\n${body()}`);
  }
  const reaches = (code: string, seen: Set<string>): boolean =>
    asserts(code) ||
    [...code.matchAll(/\b\w+\b/g)].some(([name]) => {
      const called = seen.has(name) ? undefined : functions.get(name);
      return called !== undefined && reaches(called, seen.add(name));
    });
  return tests
    .filter(({ body }) => !reaches(body, new Set()))
    .map(({ line }) => ({ path, line, what: text.split('\n')[line - 1]?.trim() ?? '' }));
}

/** Files that send requests without the check of replies (test/support/reply-shapes.ts), and why. */
const UNCHECKED: Readonly<Record<string, string>> = {
  'test/activity-log/export.test.ts': 'reads a file that the server cuts, or slowly',
  'test/activity-log/large.test.ts': 'reads a file that is too large to keep',
  'test/backup/archives.ts': 'reads archives, some of them slowly',
  'test/browser/console-foreign.test.ts': 'asks for pages',
  'test/browser/console.test.ts': 'asks for pages',
  'test/client/troubled-proxy.ts': 'passes replies on, whole or cut',
  'test/cli/serve.test.ts': 'looks at the connection while the server stops',
  'test/docs/curl.ts': 'checks',
  'test/http/compression.test.ts': 'looks at the bytes on the wire, which a checking client would take for JSON',
  'test/http/sending.test.ts': 'reads replies of its own slowly',
  'test/jobs/stopping.test.ts': 'never ends its request',
  'test/lists/parameters.test.ts': 'looks at headers beyond the bound of other clients',
  'test/security/secrets-in-logs.test.ts': 'asks for metrics',
  'test/monitoring/metrics.test.ts': 'asks for metrics',
  'test/nodes/balancer.ts': 'passes replies on, to clients that check them',
  'test/nodes/scene.ts': 'needs the status alone, on a connection for each request',
  'test/nodes/workers.test.ts': 'asks for metrics',
  'test/notifications/restart.test.ts': 'needs the status alone, of servers that are killed',
  'test/sessions/starting-over.test.ts': 'holds the body of its request back',
  'test/store/blob-stores.ts': 'asks a store of files',
  'test/store/cancelling.test.ts': 'goes away before the reply',
  'test/support/attachments.ts': 'checks',
  'test/support/http-client.ts': 'checks',
  'test/support/metrics.ts': 'asks for metrics',
  'test/support/server.ts': 'checks',
};

const SENDS_ITSELF = /(?<![\w.])fetch\(/g;
const IMPORTS_HTTP = /^import \{[^}]*\b(?:request|get)\b[^}]*\} from 'node:http'/m;

const unchecked = ({ path, text }: File): Violation[] => [
  ...matches(path, scan(text).code, SENDS_ITSELF, (match) => match),
  ...(IMPORTS_HTTP.test(text) ? matches(path, text, new RegExp(IMPORTS_HTTP, 'gm'), (match) => match) : []),
];

const example = (text: string): File => ({ path: 'test/records/example.test.ts', text });

const RULES: readonly Rule[] = [
  {
    name: 'every test asserts something',
    because: 'a test that cannot fail says nothing',
    find: withoutAssertion,
    good: [
      example("it('a', () => {\n  assert.ok(a);\n});"),
      example("const check = (a: number) =>\n  assert.ok(a);\nit('a', () => check(1));"),
      example("it('a', async () => {\n  await until(\n    'b',\n    () => c,\n  );\n});"),
    ],
    bad: [
      example("it('a', () => {\n  send(a);\n});\nassert.ok(a);"),
      example("const send = () => get();\nit('assert', () => {\n  // assert\n  send();\n});"),
    ],
  },
  {
    name: 'requests go through a client that checks the replies',
    because: 'a reply that the interface does not have must fail some test; see UNCHECKED',
    find: (file) => (file.path in UNCHECKED ? [] : unchecked(file)),
    good: [example('await fetchChecked(a);'), example('browser.fetch(a);'), example('get(a);')],
    bad: [example('await fetch(a);'), example("import { type Agent, request } from 'node:http';\nrequest(a);")],
  },
];

const files = filesIn(['test'], ['.ts']);

for (const rule of RULES) testRule(rule, files);

test('only files that send requests themselves are excused from the check of replies', () => {
  const sending = new Set(files.filter((file) => unchecked(file).length > 0).map(({ path }) => path));
  assert.deepEqual(
    Object.keys(UNCHECKED).filter((path) => !sending.has(path)),
    [],
  );
});
