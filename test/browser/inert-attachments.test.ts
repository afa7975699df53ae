// Attachments are inert in a browser, whatever is in them and whatever type they were given: opened they are saved, and a
// page that takes them in runs and follows nothing of them. The credentials are added on the way, as no page can do it by
// itself; without them there would be nothing to hold back.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Bystander, EMBEDDINGS, launch, pageWith, startBystander, titlesIn, WITHOUT_BROWSER } from './browsing.ts';
import type { DangerousFile, Embedding } from './dangerous-files.ts';

const PATIENCE_MS = 20_000;
/** Between the last sign of life and the verdict. */
const QUIET_MS = 300;
/** What refers onwards does so after a second. */
const REFRESH_MS = 1_500;
const SUITE_MS = 300_000;

/** From any origin, its own included, a browser opens these like a page. */
const FRAMES: readonly Embedding[] = ['iframe', 'object', 'embed'];
const IS_SCRIPT = /\bjavascript$/;

describe('attachments in a browser', { skip: WITHOUT_BROWSER, timeout: SUITE_MS }, () => {
  let server: TestServer;
  let app: TestApplication;
  let bystander: Bystander;
  let browser: Browser;
  let authorization: { authorization: string };
  const addresses = new Map<DangerousFile, string>();
  const addressOf = (file: DangerousFile) => addresses.get(file) ?? '';

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [{ name: 'Files', columns: [] }] });
    authorization = { authorization: `Bearer ${app.admin.token}` };
    bystander = await startBystander();
    browser = await launch();
    for (const file of bystander.files) {
      const path = `/collections/${app.ids.Files?.id}/attachments`;
      const headers = {
        'content-type': file.contentType,
        'content-disposition': `attachment; filename="${file.name}.html"`,
      };
      const { status, text, body } = await app.send('POST', path, { raw: file.bytes, headers });
      assert.equal(status, 200, text);
      assert.equal(body.contentType, file.contentType, 'the type is what the upload says, or the test shows nothing');
      addresses.set(file, `${server.address}/v1/${app.id}${path}/${body.id}`);
    }
  });
  after(async () => {
    await browser?.close();
    await bystander?.close();
    assert.deepEqual(server?.failures, []);
    await server?.close();
  });

  async function inContext<T>(options: BrowserContextOptions, work: (context: BrowserContext) => Promise<T>) {
    const context = await browser.newContext(options);
    try {
      await bystander.watch(context);
      bystander.takeTraces();
      return await work(context);
    } finally {
      await context.close();
    }
  }

  /** Credentials for the server alone, put in on the way. */
  const authorize = (context: BrowserContext) =>
    context.route(`${server.address}/v1/**`, (route) =>
      route.continue({ headers: { ...route.request().headers(), ...authorization } }),
    );

  /** How often each of the files was sent, by the server's own word. */
  async function timesSent(): Promise<Map<DangerousFile, number>> {
    const rows = await server.database.sql(`select entry from app_${app.id}.activity`);
    const entries = rows.map(([entry]) => entry as string).filter((entry) => entry.includes('download'));
    const times = (file: DangerousFile) => {
      const id = addressOf(file).split('/').at(-1) ?? '';
      return entries.filter((entry) => entry.includes(id)).length;
    };
    return new Map(bystander.files.map((file) => [file, times(file)]));
  }

  async function untilSent(files: readonly DangerousFile[], earlier: Map<DangerousFile, number>): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const now = await timesSent();
      const waiting = files.filter((file) => (now.get(file) ?? 0) <= (earlier.get(file) ?? 0));
      if (waiting.length === 0) return;
      if (performance.now() > end) assert.fail(`never asked for: ${waiting.map(({ name }) => name)}`);
      await sleep(50);
    }
  }

  /** Opens all files as a person would, by their addresses: each has to be saved, byte for byte. */
  async function saveAll(context: BrowserContext): Promise<void> {
    const page = await context.newPage();
    for (const file of bystander.files) {
      const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: PATIENCE_MS }),
        page.goto(addressOf(file)).then(
          (response) => assert.fail(`${file.name} is shown as a page: ${response?.status()}`),
          (error: Error) => assert.match(error.message, /Download is starting|ERR_ABORTED/),
        ),
      ]);
      assert.ok((await readFile(await download.path())).equals(file.bytes), file.name);
      assert.equal(page.url(), 'about:blank');
    }
  }

  async function assertNothingRan(context: BrowserContext): Promise<void> {
    await sleep(QUIET_MS);
    const titles = (await titlesIn(context)).filter((title) => title !== '' && title !== 'page');
    assert.deepEqual({ traces: bystander.takeTraces(), titles }, { traces: [], titles: [] });
  }

  it('the same files without protection leave their traces, so that this test can fail', async () => {
    await inContext({}, async (context) => {
      const files = bystander.files.filter(({ acts }) => acts.includes('opened'));
      const open = async (file: DangerousFile) => (await context.newPage()).goto(bystander.unprotected(file));
      await Promise.all(files.map(open));
      const names = files.map(({ name }) => name);
      assert.deepEqual(await bystander.missing(names, PATIENCE_MS), [], 'opened');
    });
    for (const embedding of EMBEDDINGS) {
      await inContext({}, async (context) => {
        const files = bystander.files.filter(({ acts }) => acts.includes(embedding));
        const page = await context.newPage();
        await page.goto(bystander.page(pageWith(embedding, files.map(bystander.unprotected))));
        const names = files.map(({ name }) => name);
        assert.deepEqual(await bystander.missing(names, PATIENCE_MS), [], embedding);
      });
    }
  });

  it('are saved when they are opened, and nothing of them runs', async () => {
    await inContext({ extraHTTPHeaders: authorization }, async (context) => {
      await saveAll(context);
      await assertNothingRan(context);
    });
  });

  it('are saved when the credentials are put in on the way', async () => {
    await inContext({}, async (context) => {
      await authorize(context);
      await saveAll(context);
      await assertNothingRan(context);
    });
  });

  it('run nothing even where something on the way has taken off that they are to be saved', async () => {
    await inContext({}, async (context) => {
      await context.route(`${server.address}/v1/**`, async (route) => {
        const response = await route.fetch({ headers: { ...route.request().headers(), ...authorization } });
        const { 'content-disposition': _taken, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
      // Some are shown, and some are saved still, as the browser shows nothing of their type.
      const open = async (file: DangerousFile) =>
        (await context.newPage()).goto(addressOf(file)).catch(() => undefined);
      await Promise.all(bystander.files.map(open));
      await sleep(REFRESH_MS);
      const titles = await titlesIn(context);
      assert.ok(titles.includes('html'), 'none was shown, so this showed nothing');
      assert.deepEqual(bystander.takeTraces(), []);
    });
  });

  /** Something of the bystander's that does run, behind the rest: when it has, the rest has had its time. */
  async function lookBehind(context: BrowserContext): Promise<void> {
    const proof = bystander.files.find(({ name }) => name === 'html')!;
    const page = await context.newPage();
    await page.goto(bystander.page(pageWith('iframe', [bystander.unprotected(proof)])));
    assert.deepEqual(await bystander.missing([proof.name], PATIENCE_MS), []);
    await page.close();
  }

  for (const embedding of EMBEDDINGS) {
    it(`do nothing in a page of another origin, as ${embedding}`, async () => {
      await inContext({}, async (context) => {
        await authorize(context);
        const earlier = await timesSent();
        const page = await context.newPage();
        await page.goto(bystander.page(pageWith(embedding, bystander.files.map(addressOf))), { waitUntil: 'commit' });
        await untilSent(bystander.files, earlier);
        await assertNothingRan(context);
        await lookBehind(context);
        assert.deepEqual(
          bystander.takeTraces().filter((name) => name !== 'html'),
          [],
        );
      });
    });
  }

  // What is declared a script or a style sheet is one for a page of the same origin that names it as such: no header of
  // an answer forbids that, and the policy of the server's own pages has to.
  for (const embedding of [...FRAMES, 'script', 'module', 'worker', 'image'] as const) {
    it(`do nothing in a page of the server's own origin, as ${embedding}`, async () => {
      await inContext({}, async (context) => {
        const files = bystander.files.filter(({ contentType }) => !IS_SCRIPT.test(contentType));
        await authorize(context);
        const earlier = await timesSent();
        const own = `${server.address}/page`;
        const html = pageWith(embedding, files.map(addressOf));
        await context.route(own, (route) => route.fulfill({ contentType: 'text/html', body: html }));
        const page = await context.newPage();
        await page.goto(own, { waitUntil: 'commit' });
        await untilSent(files, earlier);
        await assertNothingRan(context);
        await lookBehind(context);
        assert.deepEqual(
          bystander.takeTraces().filter((name) => name !== 'html'),
          [],
        );
      });
    });
  }
});
