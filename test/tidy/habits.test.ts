// The habits of docs/style.md that can be read from a file's text, each with its reason.

import { matches, type Rule, testRule } from './rule.ts';
import { scan } from './scan.ts';
import { type File, filesIn } from './tree.ts';

const LINES_MAX = 500;

const example = (text: string, path = 'src/domain/example.ts'): File => ({ path, text });

/** A rule on a pattern in the code, outside of comments and literals. */
function codeRule(
  name: string,
  because: string,
  pattern: RegExp,
  examples: { good: string[]; bad: string[]; except?: RegExp },
): Rule {
  return {
    name,
    because,
    find: ({ path, text }) =>
      examples.except?.test(path) ? [] : matches(path, scan(text).code, pattern, (match) => match),
    good: examples.good.map((text) => example(text)),
    bad: examples.bad.map((text) => example(text)),
  };
}

const FOR_ALL_CODE: Rule[] = [
  {
    name: 'names of files are kebab-case and say what is inside',
    because: 'a name such as utils or types says nothing, so that anything ends up there',
    find({ path }) {
      const parts = path.split('/');
      const bad = parts.find(
        (part) => !/^\.?[a-z0-9]+(?:[-_.][a-z0-9]+)*$/.test(part) || (part.includes('_') && !part.endsWith('.sql')),
      );
      const banned = parts.find((part) =>
        /^(?:utils?|helpers?|common|misc|shared)(?:\.|$)|^(?:types|index)\.[cm]?[jt]s$/.test(part),
      );
      return [
        ...(bad === undefined ? [] : [{ path, line: 1, what: `${bad} is not kebab-case` }]),
        ...(banned === undefined ? [] : [{ path, line: 1, what: `${banned} is a name that says nothing` }]),
      ];
    },
    good: [example('', 'src/store/people/shared-users.ts'), example('', 'test/tidy/scan.test.ts')],
    bad: [example('', 'src/store/sharedUsers.ts'), example('', 'src/http/utils.ts'), example('', 'src/store/index.ts')],
  },
  codeRule(
    'no default exports',
    'a thing has one name, the same wherever it is imported',
    /\bexport\s+default\b|\bas\s+default\b/g,
    {
      good: ['export const a = 1;'],
      bad: ['export default 1;', 'export { a as default };'],
      // Node's runner asks a reporter for it.
      except: /^scripts\/failed-tests\.mjs$/,
    },
  ),
  codeRule(
    'no barrels',
    'what is imported comes from the file that defines it, so that one jump finds it',
    /\bexport\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s+)?from\b/g,
    {
      good: ['export { a };\nimport { b } from "./b.ts";'],
      bad: ["export * from './a.ts';", "export type { A } from './a.ts';"],
      // A package is imported by one name.
      except: /^client\/src\/main\.ts$/,
    },
  ),
  codeRule(
    'no any, and no cast that hides what a thing is',
    'the compiler’s word holds only while nobody silences it',
    /(?:[:<|&]|\bas|\bextends|=>)\s*any\b(?!\s*[(.:?])|,\s*any\s*>|\bas\s+unknown\s+as\b/g,
    {
      good: ['const a: unknown = b as B;', 'const any = 1; f(any);', 'a ? b : any();'],
      bad: ['const a: any = 1;', 'f(a as any);', 'const m: Map<string, any> = n;', 'g(a as unknown as B);'],
      // Tests look into answers freely.
      except: /^test\//,
    },
  ),
  {
    name: 'no leftovers and no silenced checks',
    because: 'what is to be done is an issue, and what the compiler says is to be heard',
    find({ path, text }) {
      const { code, comments } = scan(text);
      return [
        ...matches(path, comments, /\b(?:TODO|FIXME|XXX|HACK)\b|@ts-(?:ignore|nocheck)/g, (match) => match),
        ...matches(path, code, /\b(?:TODO|FIXME|XXX|HACK)\b/g, (match) => match),
      ];
    },
    good: [example('// The rest follows.\nconst a = "TODO";')],
    bad: [example('// TODO: more'), example('/* @ts-ignore */')],
  },
  {
    name: 'every file opens with what lives there',
    because: 'a reader should know after one sentence whether this is the place',
    find: ({ path, text }) =>
      /^(?:#!.*\n)?(?:\/\/ @ts-check\n)?(?:\/\/ (?!@)|\/\*)/.test(text)
        ? []
        : [{ path, line: 1, what: 'no opening comment' }],
    good: [example('// Dates.\n'), example('#!/usr/bin/env node\n// The command.\n')],
    bad: [example("import a from 'a';\n"), example('// @ts-check\nconst a = 1;\n')],
  },
  {
    name: `no file beyond ${LINES_MAX} lines`,
    because: 'beyond that, a file is about more than one thing',
    find({ path, text }) {
      const lines = text.split('\n').length - 1;
      return lines <= LINES_MAX ? [] : [{ path, line: LINES_MAX + 1, what: `${lines} lines` }];
    },
    good: [example('\n'.repeat(LINES_MAX))],
    bad: [example('\n'.repeat(LINES_MAX + 1))],
  },
];

const FOR_THE_SERVER: Rule[] = [
  codeRule(
    'no console outside of src/cli and src/main.ts',
    'what happens is an event (src/events/events.ts), from which the log is made',
    /\bconsole\.\w+/g,
    { good: ['log.info(a);'], bad: ['console.log(a);'], except: /^src\/(?:cli\/|main\.ts$)/ },
  ),
  codeRule(
    'the environment is read in src/settings/settings.ts only',
    'settings are one table, read once and passed on as values',
    /\bprocess\.env\b/g,
    // main.ts hands it over; embedded/ gives it on to the programs that it starts.
    {
      good: ['const a = settings.port;'],
      bad: ['const a = process.env.PORT;'],
      except: /^src\/(?:config\.ts$|main\.ts$|embedded\/)/,
    },
  ),
];

const FOR_TESTS: Rule[] = [
  codeRule(
    'no test is skipped, postponed or singled out',
    'a test that does not run looks like one that passes',
    // A condition on the machine (root, Linux) is honest: the runner counts and names what it left out.
    /\b(?:test|it|describe|suite|context)\.(?:skip|only|todo)\b|\b(?:skip|only|todo): true\b/g,
    {
      good: ["test('a', async () => { await list({ skip: 5 }); });", "test('a', { skip: !isRoot }, () => {});"],
      bad: ["test.only('a', () => {});", "test('a', { skip: true }, () => {});", "it.todo('a');"],
    },
  ),
];

const sources = filesIn(['src'], ['.ts']);
const client = filesIn(['client/src'], ['.ts']);
const tests = filesIn(['test'], ['.ts']);
const scripts = filesIn(['scripts', 'bin', 'bench', 'simulate', 'torture'], ['.mjs', '.js']);

for (const rule of FOR_ALL_CODE) testRule(rule, [...sources, ...client, ...tests, ...scripts]);
for (const rule of FOR_THE_SERVER) testRule(rule, sources);
for (const rule of FOR_TESTS) testRule(rule, tests);
