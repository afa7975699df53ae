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
import { until } from '../support/until.ts';
import {
  type Bystander,
  EMBEDDINGS,
  insecureAddress,
  launch,
  pageWith,
  startBystander,
  titlesIn,
  tracedAs,
  WITHOUT_BROWSER,
} from './browsing.ts';
import type { DangerousFile, Embedding, Way } from './dangerous-files.ts';

const PATIENCE_MS = 60_000;
/** Between the last sign of life and the verdict. */
const QUIET_MS = 300;
/** What refers onwards does so after a second. */
const REFRESH_MS = 1_500;
const SUITE_MS = 300_000;

/** From any origin, its own included, a browser opens these like a page. */
const FRAMES: readonly Embedding[] = ['iframe', 'object', 'embed'];
/** As what no browser that says it is given a file. */
const PARTS = EMBEDDINGS.filter((way) => way !== 'image');
const IS_SCRIPT = /\bjavascript$/;

interface Embedded {
  readonly files: readonly DangerousFile[];
  readonly ways: readonly Embedding[];
  readonly open: (context: BrowserContext, html: string) => Promise<void>;
}

interface Sending {
  /** How often each file was sent before. */
  readonly earlier: ReadonlyMap<DangerousFile, number>;
  readonly asked: ReadonlySet<string>;
}

describe('attachments in a browser', { skip: WITHOUT_BROWSER, timeout: SUITE_MS }, () => {
  let server: TestServer;
  let app: TestApplication;
  let bystander: Bystander;
  let browser: Browser;
  let authorization: { authorization: string };
  /** Those that do something this way when nothing holds them back. */
  const acting = (way: Way) => bystander.files.filter(({ acts }) => acts.includes(way));
  /** Where the browser does not say as what it asks: the file is sent, and has to be inert by itself. */
  const insecure = () => insecureAddress(server.address);
  const addresses = new Map<DangerousFile, string>();
  const addressOf = (file: DangerousFile) => addresses.get(file) ?? '';
  /** The server ignores parameters that it does not know; to the test they tell one request from another. */
  const addressAs = (way: Way, origin: string) => (file: DangerousFile) =>
    `${addressOf(file).replace(server.address, origin)}?as=${way}`;

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

  /** Credentials for the server alone, put in on the way; `asked` gets the address of every request. */
  const authorize = (context: BrowserContext, asked = new Set<string>(), origin = server.address) =>
    context.route(`${origin}/v1/**`, (route) => {
      asked.add(route.request().url());
      return route.continue({ headers: { ...route.request().headers(), ...authorization } });
    });

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

  /** Waits until every address was asked for, and the server has sent each file as often as that. */
  async function untilSent(files: readonly DangerousFile[], ways: readonly Way[], so: Sending): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const now = await timesSent();
      const unsent = files.filter((file) => (now.get(file) ?? 0) < (so.earlier.get(file) ?? 0) + ways.length);
      const all = ways.flatMap((way) => files.map(addressAs(way, insecure())));
      const unasked = all.filter((address) => !so.asked.has(address));
      if (unsent.length + unasked.length === 0) return;
      if (performance.now() > end) {
        const names = unsent.map(({ name }) => name);
        assert.fail(`never sent: ${names}; never asked for: ${unasked}; ran meanwhile: ${bystander.takeTraces()}`);
      }
      await sleep(50);
    }
  }

  /** Opens files as a person would, by their addresses: each has to be saved, byte for byte. */
  async function saveAll(context: BrowserContext, files: readonly DangerousFile[]): Promise<void> {
    const page = await context.newPage();
    for (const file of files) {
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
      const page = await context.newPage();
      const assertTraced = async (address: string, names: readonly string[]) => {
        // What was opened before goes elsewhere after a second, once, and that may be just now.
        await page.goto(address).catch(() => page.goto(address));
        assert.deepEqual(await bystander.missing(names, PATIENCE_MS), []);
      };
      for (const file of acting('opened')) {
        await assertTraced(bystander.unprotected(file, 'opened'), [tracedAs(file, 'opened')]);
      }
      for (const way of EMBEDDINGS) {
        const files = acting(way);
        const addresses = files.map((file) => bystander.unprotected(file, way));
        const names = files.map((file) => tracedAs(file, way));
        await assertTraced(bystander.page(pageWith(way, addresses)), names);
      }
    });
  });

  it('are saved when they are opened, and nothing of them runs', async () => {
    await inContext({ extraHTTPHeaders: authorization }, async (context) => {
      await saveAll(context, bystander.files);
      await assertNothingRan(context);
    });
  });

  it('are saved when the credentials are put in on the way', async () => {
    await inContext({}, async (context) => {
      await authorize(context);
      await saveAll(context, acting('opened'));
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
      const open = async (file: DangerousFile) =>
        (await context.newPage()).goto(addressOf(file)).catch(() => undefined);
      await Promise.all(acting('opened').map(open));
      await sleep(REFRESH_MS);
      const titles = await titlesIn(context);
      assert.ok(titles.includes('html'), 'none was shown, so this showed nothing');
      assert.deepEqual(bystander.takeTraces(), []);
    });
  });

  /** Something of the bystander's that does run, behind the rest: when it has, the rest has had its time. */
  async function assertNothingBehind(context: BrowserContext): Promise<void> {
    const proof = bystander.files.find(({ name }) => name === 'html')!;
    const page = await context.newPage();
    await page.goto(bystander.page(pageWith('iframe', [bystander.unprotected(proof, 'iframe')])));
    assert.deepEqual(await bystander.missing([tracedAs(proof, 'iframe')], PATIENCE_MS), []);
    assert.deepEqual(bystander.takeTraces(), [tracedAs(proof, 'iframe')]);
  }

  /** A page for each of the ways, all of them at once: starting and watching a browser is what takes the time. */
  async function assertInert(embedded: Embedded): Promise<void> {
    await inContext({}, async (context) => {
      const { files, ways } = embedded;
      const sending = { earlier: await timesSent(), asked: new Set<string>() };
      await authorize(context, sending.asked, insecure());
      const open = (way: Embedding) => embedded.open(context, pageWith(way, files.map(addressAs(way, insecure()))));
      await Promise.all(ways.map(open));
      await untilSent(files, ways, sending);
      await assertNothingRan(context);
      await assertNothingBehind(context);
    });
  }

  /** A page that the server itself has sent, and not the test: what is not from the loopback may not load from there. */
  async function openOwn(context: BrowserContext, origin: string, html: string): Promise<void> {
    const page = await context.newPage();
    await page.goto(`${origin}/healthz`);
    await page.setContent(html, { waitUntil: 'commit' });
  }

  it(`do nothing in a page of another origin, as ${EMBEDDINGS.join(', ')}`, () =>
    assertInert({
      files: bystander.files,
      ways: EMBEDDINGS,
      open: async (context, html) => {
        await (await context.newPage()).goto(bystander.page(html), { waitUntil: 'commit' });
      },
    }));

  // What is declared a script or a style sheet is one for a page of the same origin that names it as such, where the
  // browser does not say as what it asks: no header of an answer forbids that, and the policy of the server's own pages
  // has to.
  const OWN = [...FRAMES, 'script', 'module', 'worker', 'image'] as const;
  it(`do nothing in a page of the server's own origin, as ${OWN.join(', ')}`, () =>
    assertInert({
      files: bystander.files.filter(({ contentType }) => !IS_SCRIPT.test(contentType)),
      ways: OWN,
      open: (context, html) => openOwn(context, insecure(), html),
    }));

  it(`are not even sent to a page of the server's own origin, as ${PARTS.join(', ')}, where the browser says so`, async () => {
    const earlier = await timesSent();
    await inContext({}, async (context) => {
      await authorize(context);
      const over = new Set<string>();
      const sent: string[] = [];
      context.on('response', (response) => {
        over.add(response.url());
        if (response.status() !== 403 && response.url().includes('?as=')) sent.push(response.url());
      });
      // Of what is no script or style sheet by its type the browser does not always tell more.
      context.on('requestfailed', (request) => void over.add(request.url()));
      const addressesAs = (way: Embedding) => bystander.files.map(addressAs(way, server.address));
      await Promise.all(PARTS.map((way) => openOwn(context, server.address, pageWith(way, addressesAs(way)))));
      for (const way of PARTS) {
        await until(`answers as ${way}`, () => addressesAs(way).every((address) => over.has(address)));
      }
      assert.deepEqual(sent, []);
      await assertNothingRan(context);
      await assertNothingBehind(context);
    });
    assert.deepEqual(await timesSent(), earlier);
  });
});
