// Bodies that take their time: what memory they have together is bounded, and no sender pays for the others.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Fault, tooBusy } from '../../src/faults.ts';
import { BodyMemory } from '../../src/http/requests/body-memory.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { assertProblem, head, Wire } from '../support/http-client.ts';
import { scrape } from '../support/metrics.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const KIB = 1024;
const PART_BYTES = 400 * KIB;
const BODY_BYTES = 300 * KIB;

describe('bodies under way', { timeout: 60_000 }, () => {
  let server: TestServer;
  let loud: TestApplication;
  let quiet: TestApplication;
  const wires: Wire[] = [];

  before(async () => {
    server = await startTestServer({
      bodies: {
        known: { eachMax: 20, eachBytesMax: PART_BYTES, allBytesMax: 4 * PART_BYTES },
        visitors: { eachMax: 2, eachBytesMax: PART_BYTES, allBytesMax: PART_BYTES },
      },
    });
    const document = { collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }] };
    loud = await publishApplication(server, document);
    quiet = await publishApplication(server, document);
  });
  after(async () => {
    for (const wire of wires) wire.close();
    await server.close();
  });

  const bodyBytes = async () => (await scrape(server.address)).sum('cartulary_body_bytes');
  const letGo = async () => {
    for (const wire of wires.splice(0)) wire.close();
    await until('nothing to be under way', async () => (await bodyBytes()) === 0);
  };
  const rest = (sent: number) => '{"values":{}}'.padStart(BODY_BYTES - sent, ' ');
  /** Sends so many bytes of a body of JSON, and waits for nothing. */
  async function begin(path: string, token: string | undefined, bytes: number): Promise<Wire> {
    const wire = await Wire.open(server.address);
    wires.push(wire);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, 'content-type': 'application/json', 'content-length': String(BODY_BYTES) };
    if (token === undefined) headers['content-length'] = '1000';
    return wire.write(head('POST', path, headers) + ' '.repeat(bytes));
  }
  const create = (app: TestApplication, bytes: number) =>
    begin(`/v1/${app.id}${app.records('Things')}`, app.admin.token, bytes);
  const signIn = () => begin(`/v1/${loud.id}/session`, undefined, 10);
  async function isBusy(wire: Wire): Promise<void> {
    const reply = await wire.answer();
    assertProblem(reply, 503, 'UNAVAILABLE');
    assert.deepEqual(reply.body.params, { reason: 'busy' });
    assert.ok(Number(reply.headers['retry-after']) > 0);
  }

  it('of an application are refused when it has its part, and those of others are not', async () => {
    const first = await create(loud, 200 * KIB);
    await until('it to be counted', async () => (await bodyBytes()) > 200 * KIB);
    const second = await create(loud, 200 * KIB);
    await isBusy(second);
    const other = await create(quiet, 200 * KIB);
    await until('both to be counted', async () => (await bodyBytes()) > 400 * KIB);
    // A refused one is read to its end, and its connection lives on.
    second.write(rest(200 * KIB) + head('GET', '/healthz'));
    assert.equal((await second.answer()).status, 200);
    for (const wire of [first, other]) {
      wire.write(rest(200 * KIB));
      assert.equal((await wire.answer()).status, 200);
    }
    assert.equal(await bodyBytes(), 0);
    await letGo();
  });

  it('without credentials are limited per network, without effect on other networks', async () => {
    await signIn();
    await signIn();
    await until('both to be counted', async () => (await bodyBytes()) > 0);
    await isBusy(await signIn());
    // What comes whole waits for nobody.
    const whole = await server.send('POST', `/v1/${loud.id}/session`, { json: {} });
    assert.equal(whole.status, 400, whole.text);
    const known = await create(loud, 10);
    known.write(rest(10));
    assert.equal((await known.answer()).status, 200);
    await letGo();
    const again = await signIn();
    again.write(`{}${' '.repeat(988)}`);
    assert.equal((await again.answer()).status, 400);
    await letGo();
  });

  it('refuse a body of the tenant that holds the most when all together hold too much', () => {
    const bodies = new BodyMemory({ eachMax: 10, eachBytesMax: 1_000 * KIB, allBytesMax: 1_000 * KIB });
    const ends: (() => void)[] = [];
    const body = (name: string) => {
      const one = { hold: (_: number): void => undefined, refused: undefined as Fault | undefined };
      ends.push(
        bodies.begin(name, {
          countIn: (setBytes) => {
            one.hold = setBytes;
            setBytes(0);
          },
          stop: (why) => {
            one.refused = why;
          },
        }),
      );
      return one;
    };
    const [older, newer] = [body('most'), body('most')];
    const less = body('less');
    older.hold(300 * KIB);
    newer.hold(300 * KIB);
    less.hold(300 * KIB);
    assert.deepEqual([older.refused, newer.refused, less.refused], [undefined, undefined, undefined]);
    less.hold(400 * KIB);
    assert.deepEqual(older.refused, tooBusy());
    assert.deepEqual([newer.refused, less.refused], [undefined, undefined]);
    // The only body of a tenant may grow, until a body of another tenant needs the memory.
    newer.hold(2_000 * KIB);
    assert.deepEqual([newer.refused, less.refused], [undefined, undefined]);
    less.hold(401 * KIB);
    assert.deepEqual([newer.refused, less.refused], [tooBusy(), undefined]);
    // Of several bodies of the largest tenant, the growing one is refused.
    const third = body('less');
    third.hold(900 * KIB);
    assert.deepEqual([third.refused, less.refused], [tooBusy(), undefined]);
    for (const end of ends) end();
    assert.equal(bodies.bytes, 0);
  });
});
