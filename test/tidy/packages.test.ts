// What a clone brings along: exact packages from wherever the reader gets packages, and nothing of the machine that
// something was written on.

import { matches, type Rule, testRule } from './rule.ts';
import { committedTexts, type File, filesIn, readText } from './tree.ts';

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies'];

const manifest = (value: object): File => ({ path: 'package.json', text: JSON.stringify(value) });

const exactVersions: Rule = {
  name: 'versions in package.json are exact',
  because: 'an upgrade is a change like any other: seen, tested, and written down',
  find({ path, text }) {
    const parsed = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
    return DEPENDENCIES.flatMap((kind) => Object.entries(parsed[kind] ?? {}))
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => ({ path, line: 1, what: `${name} ${version}` }));
  },
  good: [manifest({ dependencies: { a: '1.2.3' }, optionalDependencies: { b: '1.0.0-beta.1' } })],
  bad: [manifest({ dependencies: { a: '^1.2.3' } }), manifest({ devDependencies: { a: 'latest' } })],
};

const noResolved: Rule = {
  name: 'package-lock.json names no source of packages',
  because: 'the reader’s npm knows where to ask; the integrity of what it gets is in the lock',
  find: ({ path, text }) => matches(path, text, /"resolved"\s*:.*/g, (match) => match),
  good: [{ path: 'package-lock.json', text: '{ "version": "1.0.0", "integrity": "sha512-x" }' }],
  bad: [{ path: 'package-lock.json', text: '{ "resolved": "x" }' }],
};

// Written so that this file does not match itself.
const HOSTS =
  /\bregistry\.[a-z][\w.-]*|\b(?:npmmirror|yarnpkg|jfrog)\.[a-z]+|\b(?:npm|maven)\.pkg\.[a-z]+|:\/\/[\w.-]*(?:artifactory|verdaccio|nexus)\b/g;
const MACHINE_PATHS = /(?<![\w.$}*/-])\/(?:work|home|Users|root)\/[\w.-]+/g;
const near = (...parts: string[]): File => ({ path: 'docs/example.md', text: parts.join('') });

const noMachine: Rule = {
  name: 'no committed file names a registry or a place on somebody’s machine',
  because: 'a clone has to work anywhere, and nobody else has that folder',
  find: ({ path, text }) => [
    ...matches(path, text, HOSTS, (match) => match),
    ...matches(path, text, MACHINE_PATHS, (match) => match),
  ],
  good: [near('a clone below /root, data in /var/lib/cartulary, https://example.com/home/page, /homework')],
  bad: [near('https://registry', '.example.org/a'), near('cd /home', '/ada/cartulary'), near('"/Users', '/ada/a"')],
};

const source = (text: string): File => ({ path: 'src/mail/example.ts', text });

const loadedWhenNeeded: Rule = {
  name: 'what few servers need is loaded when it is needed',
  because: 'loading is most of what a start takes; `import type` and `import()` leave it to those who use it',
  find: ({ path, text }) =>
    matches(
      path,
      text,
      /^import (?!type\b)[^;]*'(?:@aws-sdk\/[\w-]+|@opentelemetry\/[\w-]+|jose|nodemailer|openid-client|prom-client|typebox|web-push)'/gm,
      (match) => match,
    ),
  good: [source(`import type { A } from 'jose';\nimport { b } from './jose.ts';\nconst { c } = await import('jose');`)],
  bad: [source(`import { S3 } from '@aws-sdk/client-s3';`), source(`import {\n  type A,\n  b,\n} from 'typebox';`)],
};

testRule(exactVersions, [{ path: 'package.json', text: readText('package.json') }]);
testRule(noResolved, [{ path: 'package-lock.json', text: readText('package-lock.json') }]);
testRule(noMachine, committedTexts());
testRule(loadedWhenNeeded, filesIn(['src'], ['.ts']));
