// Only the store on S3: parts, retries, connections, and calls that not every S3-compatible store supports.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PassThrough, type Readable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable, StoreUnusable, UnknownOutcome } from '../../src/store/blobs/blobs.ts';
import { createS3Blobs, withStallTimeout } from '../../src/store/blobs/s3.ts';
import { bytesOf, collect, content, failing, inPieces, newKey, startS3Blobs, type TestS3Blobs } from './blob-stores.ts';

const MIB = 1024 * 1024;

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

describe('blobs on S3, their ways', () => {
  let store: TestS3Blobs;
  beforeEach(async () => {
    store = await startS3Blobs();
  });
  afterEach(() => store.close());

  /** Requests since the store was opened, without the parts that vary. */
  const sent = (pattern: RegExp) => store.s3.requests.filter((request) => pattern.test(request)).length;
  const PART_2 = /^PUT .*partNumber=2/;

  it('sends a part again, with the same bytes', async () => {
    let attempt = 0;
    store.s3.decide((request) => {
      if (!PART_2.test(request)) return undefined;
      attempt += 1;
      return ([503, 'cut', 500] as const)[attempt - 1];
    });
    const key = newKey();
    const bytes = content(20 * MIB);
    await store.blobs.put(key, inPieces(bytes));
    assert.equal(sent(PART_2), 4);
    assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
  });

  it('sends a small file again', async () => {
    let attempt = 0;
    store.s3.decide((request) => {
      if (!request.startsWith('PUT')) return undefined;
      attempt += 1;
      return attempt === 1 ? 'cut' : undefined;
    });
    const key = newKey();
    const bytes = content(3 * MIB);
    await store.blobs.put(key, inPieces(bytes));
    assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
  });

  it('gives up after the third repetition and leaves nothing', async () => {
    store.s3.decide((request) => (PART_2.test(request) ? 503 : undefined));
    const key = newKey();
    await assert.rejects(store.blobs.put(key, inPieces(content(20 * MIB))));
    assert.equal(sent(PART_2), 4);
    assert.equal(sent(/^DELETE .*uploadId=/), 1);
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  it('does not repeat a refused request', async () => {
    store.s3.decide((request) => (PART_2.test(request) ? 403 : undefined));
    const key = newKey();
    await assert.rejects(store.blobs.put(key, inPieces(content(20 * MIB))));
    assert.equal(sent(PART_2), 1);
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  it('stops taking bytes soon after a part was refused', async () => {
    store.s3.decide((request) => (/partNumber=1&/.test(request) ? 403 : undefined));
    let given = 0;
    async function* source() {
      for (; given < 15 * MIB; given += 65_536) {
        // Far from a second full part, as from a slow client.
        if (given > 9 * MIB) await sleep(5);
        yield content(65_536);
      }
    }
    await assert.rejects(store.blobs.put(newKey(), source()));
    assert.ok(given < 15 * MIB, `${given} bytes were taken`);
  });

  it('leaves nothing when the end of an upload is refused', async () => {
    store.s3.decide((request) => (/^POST .*uploadId=/.test(request) ? 403 : undefined));
    const key = newKey();
    await assert.rejects(store.blobs.put(key, inPieces(content(9 * MIB))));
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  const COMPLETION = /^POST .*uploadId=/;

  it('takes an upload for stored that a repetition no longer finds', async () => {
    store.s3.decide((request) => (COMPLETION.test(request) && sent(COMPLETION) === 1 ? 'lost' : undefined));
    const key = newKey();
    const bytes = content(9 * MIB);
    await store.blobs.put(key, inPieces(bytes));
    assert.equal(sent(COMPLETION), 2);
    assert.equal(sent(/^DELETE .*\/a[0-9a-z]{26}/), 0);
    assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
  });

  it('does not take another file for the one that a repetition no longer finds', async () => {
    const key = newKey();
    await store.blobs.put(key, inPieces(content(10)));
    store.s3.decide((request) => (COMPLETION.test(request) ? (sent(COMPLETION) === 1 ? 503 : 404) : undefined));
    await assert.rejects(
      store.blobs.put(key, inPieces(content(9 * MIB))),
      (error) => !(error instanceof UnknownOutcome),
    );
  });

  for (const [what, size, last] of [
    ['a small file', 10, /^PUT /],
    ['a large file', 9 * MIB, COMPLETION],
  ] as const) {
    for (const decision of ['cut', 'lost', 504] as const) {
      it(`says that ${what} may appear later when its last request ends with ${decision}`, async () => {
        store.s3.decide((request) => (last.test(request) && !/partNumber/.test(request) ? decision : undefined));
        // If it were found then, a lost reply would do no harm.
        if (decision === 'lost') {
          store.s3.decide((request) => {
            if (request.startsWith('HEAD')) return 'cut';
            return last.test(request) && !/partNumber/.test(request) ? 'lost' : undefined;
          });
        }
        const key = newKey();
        await assert.rejects(store.blobs.put(key, inPieces(content(size))), UnknownOutcome);
        assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
      });
    }

    it(`knows that ${what} is not stored when its last request is refused`, async () => {
      store.s3.decide((request) => (last.test(request) && !/partNumber/.test(request) ? 403 : undefined));
      const put = store.blobs.put(newKey(), inPieces(content(size)));
      await assert.rejects(put, (error) => !(error instanceof UnknownOutcome));
    });
  }

  it('leaves a file that another may have stored when the end of an upload is refused', async () => {
    const key = newKey();
    const bytes = content(9 * MIB);
    await store.blobs.put(key, inPieces(bytes));
    store.s3.decide((request) => (COMPLETION.test(request) ? 403 : undefined));
    await assert.rejects(store.blobs.put(key, inPieces(bytes), { shared: true }));
    assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
    assert.equal((await collect(store.blobs.list(key.applicationId))).length, 1);
  });

  it('remembers an attempt without a reply if the next is refused', async () => {
    let attempt = 0;
    store.s3.decide((request) => {
      if (!request.startsWith('PUT')) return undefined;
      attempt += 1;
      return attempt === 1 ? 'cut' : 403;
    });
    await assert.rejects(store.blobs.put(newKey(), inPieces(content(10))), UnknownOutcome);
  });

  it('knows that nothing was stored where nothing was reached', async () => {
    await store.s3.close();
    const put = store.blobs.put(newKey(), inPieces(content(10)));
    await assert.rejects(put, (error) => !(error instanceof UnknownOutcome));
  });

  it('sends a file that fits in one part as one object', async () => {
    await store.blobs.put(newKey(), inPieces(content(8 * MIB)));
    assert.equal(sent(/uploads/), 0);
    await store.blobs.put(newKey(), inPieces(content(8 * MIB + 1)));
    assert.equal(sent(/^PUT .*partNumber=/), 2);
  });

  it('passes through a file without a name', async () => {
    let named: string[] = ['not looked at'];
    async function* source() {
      yield content(9 * MIB);
      yield content(1);
      named = await readdir(store.folder);
    }
    await store.blobs.put(newKey(), source());
    assert.deepEqual(named, []);
  });

  it('sends what comes in one chunk without a file', async () => {
    await rm(store.folder, { recursive: true });
    for (const size of [0, 100_000]) {
      const key = newKey();
      const bytes = content(size);
      await store.blobs.put(key, only(bytes));
      assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes), String(size));
    }
    await assert.rejects(store.blobs.put(newKey(), inPieces(content(MIB))), { code: 'ENOENT' });
    await assert.rejects(store.blobs.put(newKey(), only(content(9 * MIB))), { code: 'ENOENT' });
  });

  it('leaves nothing of a chunk that is not taken', async () => {
    store.s3.decide((request) => (request.startsWith('PUT') ? 503 : undefined));
    const key = newKey();
    await assert.rejects(store.blobs.put(key, only(content(10))));
    assert.equal(sent(new RegExp(`^PUT .*${key.attachmentId}`)), 4);
    assert.equal(sent(new RegExp(`^DELETE .*${key.attachmentId}`)), 1);
    await assert.rejects(store.blobs.put(newKey(), failing(content(1), 0)), (error) => error === 0);
  });

  it('does without the list of uploads under way', async () => {
    store.s3.decide((request) => (/^GET .*[?&]uploads/.test(request) ? 501 : undefined));
    const key = newKey();
    await store.blobs.put(key, inPieces(content(10)));
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), [{ ...key, size: 10 }]);
    assert.deepEqual(await collect(store.blobs.applications()), [key.applicationId]);
    await store.blobs.removeAll(key);
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  it('lists and removes more than one page', async () => {
    const key = newKey();
    const keys = Array.from({ length: 120 }, (_, index) => ({ ...key, part: `piece-${index}` }));
    for (let from = 0; from < keys.length; from += 20) {
      await Promise.all(keys.slice(from, from + 20).map((one) => store.blobs.put(one, inPieces(content(1)))));
    }
    // As many of one key as do not fit on a page, and some of others.
    for (const one of [...Array.from({ length: 60 }, () => key), ...keys.slice(0, 60)]) await store.interrupt(one);
    const listed = await collect(store.blobs.list(key.applicationId));
    assert.equal(listed.filter(({ size }) => size === 1).length, 120);
    assert.equal(listed.filter(({ size }) => size === undefined).length, 120);
    assert.equal(new Set(listed.map(({ part }) => part)).size, 240);
    assert.deepEqual(await collect(store.blobs.applications()), [key.applicationId]);
    await store.blobs.removeAll(key);
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  it('frees the connections of readers that leave', async () => {
    const key = newKey();
    await store.blobs.put(key, inPieces(content(20 * MIB)));
    const streams: Readable[] = [];
    for (let count = 0; count < 10; count += 1) streams.push((await store.blobs.read(key))!);
    assert.ok((await store.s3.connections()) >= 10);
    for (const stream of streams) stream.destroy();
    // Only connections for the next requests stay.
    let left = 10;
    for (let look = 0; look < 500 && left > 5; look += 1) {
      await sleep(10);
      left = await store.s3.connections();
    }
    assert.ok(left <= 5, `${left} connections are open`);
  });

  it('frees the connections of uploads that fail', async () => {
    store.s3.decide((request) => (request.startsWith('PUT') ? 403 : undefined));
    const puts = Array.from({ length: 10 }, () => store.blobs.put(newKey(), inPieces(content(3 * MIB))));
    for (const { status } of await Promise.allSettled(puts)) assert.equal(status, 'rejected');
    let left = 10;
    for (let look = 0; look < 500 && left > 0; look += 1) {
      await sleep(10);
      // Those of the removals that followed stay for the next requests.
      left = (await store.s3.connections()) - 10;
    }
    assert.ok(left <= 0);
    store.s3.decide(() => undefined);
    await store.blobs.put(newKey(), failing(content(1), 0)).catch((error) => assert.equal(error, 0));
  });

  it('fails a download that breaks off', async () => {
    const key = newKey();
    await store.blobs.put(key, inPieces(content(20 * MIB)));
    const stream = (await store.blobs.read(key))!;
    await once(stream, 'readable');
    await store.s3.close();
    await assert.rejects(bytesOf(stream));
  });

  it('reports what is wrong with the bucket, and no secret', async () => {
    const options = {
      bucket: store.s3.bucket,
      prefix: 'x/',
      endpoint: store.s3.endpoint,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'hidden',
      spoolFolder: store.folder,
    };
    const sentence = /^The attachments in s3:\/\/\S+ at http:\/\/127.0.0.1:\d+ cannot be read and written: /;
    const refusal = async (changed: Partial<typeof options>) => {
      const blobs = createS3Blobs({ ...options, ...changed });
      const error = await blobs.open().then(
        () => undefined,
        (reason: Error) => reason,
      );
      await blobs.close();
      return error;
    };
    assert.equal(await refusal({}), undefined);
    for (const changed of [{ bucket: 'another' }, { accessKeyId: 'UNKNOWN' }]) {
      const error = await refusal(changed);
      assert.ok(error instanceof StoreUnusable, JSON.stringify(changed));
      assert.match(error.message, sentence);
      assert.ok(!error.message.includes('hidden'));
    }
    store.s3.decide((request) => (request.startsWith('PUT') ? 403 : undefined));
    assert.match((await refusal({}))?.message ?? '', sentence);
    for (const decision of ['cut', 500, 503] as const) {
      store.s3.decide((request) => (request.startsWith('PUT') ? decision : undefined));
      assert.ok((await refusal({})) instanceof StoreUnavailable, String(decision));
    }
    for (const endpoint of ['http://127.0.0.1:1', 'http://no-such-store.invalid']) {
      assert.ok((await refusal({ endpoint })) instanceof StoreUnavailable, endpoint);
    }
  });

  it('is used as soon as it replies, if it was away at first', async () => {
    store.s3.decide(() => 'cut');
    const { searchParams } = new URL(store.s3.url());
    const blobs = createS3Blobs({
      bucket: store.s3.bucket,
      prefix: '',
      endpoint: store.s3.endpoint,
      region: 'us-east-1',
      accessKeyId: searchParams.get('accessKeyId')!,
      secretAccessKey: searchParams.get('secretAccessKey')!,
      spoolFolder: store.folder,
    });
    try {
      await assert.rejects(blobs.open(), StoreUnavailable);
      const key = newKey();
      await assert.rejects(blobs.read(key), { code: 'ECONNRESET' });
      store.s3.decide(() => undefined);
      await blobs.put(key, inPieces(content(10)));
      assert.equal(await blobs.size(key), 10);
    } finally {
      await blobs.close();
    }
  });
});

describe('the time of a download', () => {
  it('is up when a waiting reader gets nothing', async () => {
    await assert.rejects(bytesOf(withStallTimeout(new PassThrough(), 20)), /sent nothing for 20 ms/);
  });

  it('does not run while the reader pauses', async () => {
    const body = new PassThrough();
    const stream = withStallTimeout(body, 20);
    body.end(content(10));
    await once(
      stream.once('readable', () => undefined),
      'readable',
    );
    await sleep(60);
    assert.equal((await bytesOf(stream))?.length, 10);
  });

  it('ends with the reader, whose leaving ends the body', async () => {
    const body = new PassThrough();
    const stream = withStallTimeout(body, 60_000);
    stream.read();
    stream.destroy();
    await once(body, 'close');
    assert.ok(body.destroyed);
  });
});

it('the SDK is loaded for S3 only', async () => {
  const script = `
    import { createRequire } from 'node:module';
    import { createBlobs } from ${JSON.stringify(new URL('../../src/store/blobs/open.js', import.meta.url).href)};
    const blobs = createBlobs({ kind: 'disk', folder: process.argv[1] }, '');
    await blobs.open();
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@aws-sdk'));
    process.stdout.write(String(loaded.length));
  `;
  const store = await startS3Blobs();
  try {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, store.folder]);
    assert.equal(output.toString(), '0');
    const here = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@aws-sdk'));
    assert.ok(here.length > 0, 'the SDK is not seen where it is loaded');
  } finally {
    await store.close();
  }
});
