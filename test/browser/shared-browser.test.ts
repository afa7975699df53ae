// One browser, two people: what the first has seen is not there for the second, whichever way the first one's session
// ended. Tried at an address that counts as secure, and at one where browsers ignore Clear-Site-Data.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { noise } from '../support/images.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { insecureAddress, launch, WITHOUT_BROWSER } from './browsing.ts';

const SECRET = 'for Ada alone';
const COLLECTION = {
  name: 'Files',
  readAccessType: 'creatorOnly',
  columns: [{ name: 'Title', type: 'String' }],
};

type CacheMode = 'default' | 'no-cache' | 'force-cache' | 'only-if-cached';

interface Seen {
  /** 0: nothing came, also not from the cache. */
  readonly status: number;
  readonly text: string;
}

describe('a browser that several people use', { skip: WITHOUT_BROWSER }, () => {
  let server: TestServer;
  let app: TestApplication;
  let ada: Person;
  let ben: Person;
  let browser: Browser;
  /** Below the address; all of them Ada's, and nothing to Ben. */
  let paths: string[] = [];
  let recordPath = '';

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [COLLECTION] });
    ada = await app.addPerson('Ada');
    ben = await app.addPerson('Ben');
    const upload = async (raw: Uint8Array | string, contentType: string) => {
      const path = `/collections/${app.ids.Files?.id}/attachments`;
      const options = { token: ada.token, raw, headers: { 'content-type': contentType } };
      const { status, text, body } = await app.send('POST', path, options);
      assert.equal(status, 200, text);
      return `/v1/${app.id}${path}/${body.id}`;
    };
    const note = await upload(SECRET, 'text/plain');
    const picture = await upload(await noise(200, 200).png().toBuffer(), 'image/png');
    const created = await app.send('POST', app.records('Files'), {
      token: ada.token,
      json: { values: { [app.ids.Files?.Title ?? '']: string(SECRET) } },
    });
    assert.equal(created.status, 200, created.text);
    recordPath = `/v1/${app.id}${app.records('Files', created.body.id)}`;
    paths = [note, picture, `${picture}?size=64`, recordPath];
    browser = await launch({ backForwardCache: true });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const fetchIn = (page: Page, path: string, options: object): Promise<Seen> =>
    page.evaluate(
      `fetch(${JSON.stringify(path)}, ${JSON.stringify(options)}).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        () => ({ status: 0, text: '' }),
      )`,
    );
  const look = (page: Page, path: string, cache: CacheMode) => fetchIn(page, path, { cache, mode: 'same-origin' });
  const signIn = async (page: Page, { id, password }: Person) => {
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify({ userId: id, password }) };
    assert.equal((await fetchIn(page, `/v1/${app.id}/session`, options)).status, 200);
  };
  const signOut = async (page: Page) =>
    assert.equal((await fetchIn(page, `/v1/${app.id}/session`, { method: 'DELETE' })).status, 204);

  async function inContext(address: string, work: (page: Page, context: BrowserContext) => Promise<void>) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${address}/console`);
      await work(page, context);
    } finally {
      await context.close();
    }
  }

  /** Twice each, so that the cache has them if it keeps them at all. */
  async function lookAtAll(page: Page): Promise<void> {
    for (const path of [...paths, ...paths]) assert.equal((await look(page, path, 'default')).status, 200, path);
    assert.ok((await look(page, paths[0] ?? '', 'default')).text.includes(SECRET));
  }

  async function assertNothingSeen(page: Page, modes: readonly CacheMode[], statuses: readonly number[]) {
    for (const mode of modes) {
      for (const path of paths) {
        const { status, text } = await look(page, path, mode);
        assert.ok(statuses.includes(status), `${mode} ${path} gave ${status} ${text.slice(0, 100)}`);
      }
    }
  }

  const ASKING = ['default', 'no-cache'] as const;
  const FROM_CACHE = ['only-if-cached', 'force-cache'] as const;

  /** How Ada's session may end before Ben's begins. */
  const ENDINGS: Record<string, (page: Page, context: BrowserContext) => Promise<void>> = {
    'signs out': signOut,
    'goes away and leaves the session open': async () => undefined,
    'leaves a session that has ended elsewhere': async (_page, context) => {
      const [cookie] = await context.cookies();
      const id = cookie?.value.split('.')[0] ?? '';
      await server.database.sql(`delete from app_${app.id}.sessions where id = $1`, [id]);
      server.invalidate({ application: app.id, session: id });
    },
  };

  for (const [ending, end] of Object.entries(ENDINGS)) {
    it(`shows nothing of the first to the second, not even of its cache, when the first ${ending}`, async () => {
      for (const address of [server.address, insecureAddress(server.address)]) {
        await inContext(address, async (page, context) => {
          await signIn(page, ada);
          await lookAtAll(page);
          await end(page, context);
          await signIn(page, ben);
          await assertNothingSeen(page, FROM_CACHE, [0, 404]);
          await assertNothingSeen(page, ASKING, [404]);
        });
      }
    });
  }

  it('forgets what it was shown as soon as the server knows the session no more', async () => {
    await inContext(server.address, async (page, context) => {
      await signIn(page, ada);
      await lookAtAll(page);
      await ENDINGS['leaves a session that has ended elsewhere']?.(page, context);
      assert.equal((await look(page, `/v1/${app.id}/session`, 'default')).status, 401);
      await assertNothingSeen(page, FROM_CACHE, [0, 401]);
    });
  });

  it('shows nothing by going back, though it keeps pages for that', async () => {
    await inContext(server.address, async (page) => {
      await signIn(page, ada);
      await page.goto(server.address + recordPath);
      assert.match(await page.innerText('body'), new RegExp(SECRET));
      await page.goto(`${server.address}/console`);
      await signIn(page, ben);
      await page.goBack();
      assert.equal(page.url(), server.address + recordPath);
      assert.match(await page.innerText('body'), /RECORD_NOT_FOUND/);
    });
  });

  it('keeps the first signed in where nothing has ended, and asks again for what it has', async () => {
    await inContext(server.address, async (page) => {
      await signIn(page, ada);
      await lookAtAll(page);
      const statuses: number[] = [];
      page.on('response', (response) => void statuses.push(response.status()));
      await lookAtAll(page);
      assert.ok(statuses.length > 0 && statuses.every((status) => status === 200 || status === 304), `${statuses}`);
    });
  });

  it('keeps what was fetched with one token from who has another, or none', async () => {
    await inContext(server.address, async (page) => {
      const withToken = (path: string, cache: CacheMode, person: Person | undefined) => {
        const headers = person === undefined ? {} : { authorization: `Bearer ${person.token}` };
        return fetchIn(page, path, { cache, headers });
      };
      const [note = ''] = paths;
      assert.equal((await withToken(note, 'default', ada)).status, 200);
      assert.equal((await look(page, note, 'only-if-cached')).status, 0, 'not without the token');
      for (const mode of ['force-cache', 'default'] as const) {
        assert.equal((await withToken(note, mode, ben)).status, 404, mode);
        assert.equal((await withToken(note, mode, undefined)).status, 401, mode);
      }
    });
  });
});
