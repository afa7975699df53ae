// What `npm test` decides about the browser: where it looks for one, when it needs one, and how it would install it.
// Nothing here installs anything.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../tidy/tree.ts';

interface BrowserScript {
  findChromium(env: Record<string, string>, exists: (path: string) => boolean): string | undefined;
  needBrowser(files: readonly string[]): boolean;
  installation(machine: {
    apt: boolean;
    root: boolean;
    sudo: boolean;
  }): { install: string[]; renew: string[] } | undefined;
}

// The scripts are plain JavaScript beside the sources, so that they are not part of what is compiled.
const script: BrowserScript = await import(pathToFileURL(join(ROOT, 'scripts', 'browser.mjs')).href);
const { findChromium, installation, needBrowser } = script;

const having =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

test('a browser is looked for on the path and where systems keep it', () => {
  const env = { PATH: '/opt/bin:/usr/local/bin' };
  assert.equal(findChromium(env, having('/usr/bin/chromium')), '/usr/bin/chromium');
  assert.equal(findChromium(env, having('/opt/bin/google-chrome')), '/opt/bin/google-chrome');
  assert.equal(
    findChromium(env, having('/usr/local/bin/google-chrome', '/usr/bin/chromium-browser')),
    '/usr/bin/chromium-browser',
    'Chromium before Chrome',
  );
  assert.equal(findChromium({}, having('/usr/bin/chromium')), '/usr/bin/chromium', 'also without a path');
  assert.equal(findChromium(env, having('/usr/bin/firefox')), undefined);
});

test('a browser that somebody names is taken, there or not', () => {
  const env = { PATH: '/usr/bin', CARTULARY_TEST_CHROMIUM: '/opt/mine' };
  assert.equal(findChromium(env, having('/usr/bin/chromium')), '/opt/mine');
});

test('a browser is needed by the tests below test/browser only', () => {
  assert.equal(needBrowser(['test/records/a.test.js', 'test/bootstrap/browser.test.js']), false);
  assert.equal(needBrowser(['test/records/a.test.js', 'test/browser/a.test.js']), true);
});

test('a browser is installed where that can be done without asking', () => {
  assert.equal(installation({ apt: false, root: true, sudo: true }), undefined);
  assert.equal(installation({ apt: true, root: false, sudo: false }), undefined);
  const asRoot = installation({ apt: true, root: true, sudo: false });
  assert.match(asRoot?.install.join(' ') ?? '', /^env .*apt-get .*install -y --no-install-recommends chromium$/);
  assert.match(asRoot?.renew.join(' ') ?? '', /apt-get .*update$/);
  const asOther = installation({ apt: true, root: false, sudo: true });
  assert.deepEqual(
    asOther?.install,
    ['sudo', '-n', ...(asRoot?.install ?? [])],
    'never with a question for a password',
  );
});
