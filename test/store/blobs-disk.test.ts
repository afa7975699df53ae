// Only the store on disk: modes, links, folders and full disks.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../src/faults.ts';
import { StoreUnavailable, StoreUnusable } from '../../src/store/blobs/blobs.ts';
import { createDiskBlobs } from '../../src/store/blobs/disk.ts';
import { putVerified } from '../../src/store/blobs/writes.ts';
import { bytesOf, collect, content, failing, inPieces, newKey, startDisk, type TestBlobs } from './blob-stores.ts';

const MARKER = '.cartulary-attachments';

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.path, entry.name)));
};

/** Only root may mount; elsewhere a full disk is tried by blob-writes.test.ts, with a store that says so. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('blobs on disk, their files', { concurrency: true }, () => {
  let store: TestBlobs;
  before(async () => {
    store = await startDisk();
  });
  after(() => store.close());

  it('are in a shard, readable by no other account', async () => {
    const key = newKey();
    await store.blobs.put({ ...key, part: '256.webp' }, inPieces(content(10)));
    const shard = join(store.folder, key.applicationId, key.attachmentId.slice(-2));
    const path = join(shard, `${key.attachmentId}.256.webp`);
    const modes = await Promise.all(
      [path, shard, dirname(shard), store.folder].map(async (one) => (await stat(one)).mode),
    );
    assert.deepEqual(
      modes.map((mode) => (mode & 0o777).toString(8)),
      ['600', '700', '700', '700'],
    );
  });

  it('appear under their names when they are whole', async () => {
    const key = newKey();
    const home = join(store.folder, key.applicationId);
    let during: string[] = [];
    async function* source() {
      yield content(10);
      during = await filesBelow(home);
      yield content(10);
    }
    await store.blobs.put(key, source());
    const name = join(key.attachmentId.slice(-2), key.attachmentId);
    assert.equal(during.length, 1);
    assert.match(during[0]!, new RegExp(`^${name}\\.uploading-[0-9a-f]{16}$`));
    assert.deepEqual(await filesBelow(home), [name]);
  });

  it('cannot be completed once all of the attachment was removed', async () => {
    const key = newKey();
    async function* source() {
      yield content(10);
      await store.blobs.removeAll(key);
    }
    await assert.rejects(store.blobs.put(key, source()), { code: 'ENOENT' });
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
  });

  it('are not those that links lead to, nor those in the wrong place', async () => {
    const key = newKey();
    const shard = join(store.folder, key.applicationId, key.attachmentId.slice(-2));
    await mkdir(shard, { recursive: true });
    const outside = join(store.folder, '..', 'outside');
    await writeFile(outside, 'secret');
    await symlink(outside, join(shard, key.attachmentId));
    await symlink(store.folder, join(dirname(shard), 'zz'));
    await mkdir(join(dirname(shard), 'elsewhere'));
    await writeFile(join(dirname(shard), 'elsewhere', key.attachmentId), 'misplaced');
    assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
    assert.equal(await store.blobs.size(key), undefined);
    await assert.rejects(store.blobs.read(key), { code: 'ELOOP' });
  });

  for (const [what, leave] of [
    ['the folder has gone', async () => undefined],
    ['an empty folder is in its place', (folder: string) => mkdir(folder)],
    [
      'another folder with the same files is in its place',
      (folder: string) => cp(`${folder}-away`, folder, { recursive: true, filter: (path) => !path.endsWith(MARKER) }),
    ],
  ] as [string, (folder: string) => Promise<unknown>][]) {
    it(`are not read, stored or removed while ${what}`, async () => {
      const other = await startDisk();
      try {
        const { blobs, folder } = other;
        const key = newKey();
        await blobs.put(key, inPieces(content(10)));
        await rename(folder, `${folder}-away`);
        await leave(folder);
        const before = await filesBelow(dirname(folder));
        // Its folder is there in a copy.
        const beside = `${newKey().attachmentId.slice(0, -2)}${key.attachmentId.slice(-2)}`;
        for (const work of [
          () => blobs.put(newKey(), inPieces(content(10))),
          () => blobs.putNew!(newKey(), content(10)),
          () => blobs.putNew!({ ...key, attachmentId: beside }, content(10)),
          () => blobs.read(key),
          () => blobs.readWhole(key),
          () => blobs.size(key),
          () => blobs.remove(key),
          () => blobs.removeAll(key),
          () => blobs.removeParts(key),
          () => collect(blobs.list(key.applicationId)),
          () => collect(blobs.applications()),
        ]) {
          await assert.rejects(work, StoreUnavailable, String(work));
        }
        assert.deepEqual(await filesBelow(dirname(folder)), before);
        await rm(folder, { recursive: true, force: true });
        await rename(`${folder}-away`, folder);
        assert.equal(await blobs.size(key), 10);
      } finally {
        await other.close();
      }
    });
  }

  it('have a marker from the first start on, also those of an earlier version', async () => {
    const other = await startDisk();
    try {
      const key = newKey();
      await other.blobs.put(key, inPieces(content(10)));
      await rm(join(other.folder, MARKER));
      const again = createDiskBlobs(other.folder);
      await again.open();
      assert.equal(await again.size(key), 10);
      assert.equal((await stat(join(other.folder, MARKER))).mode & 0o777, 0o600);
    } finally {
      await other.close();
    }
  });

  it('leave no empty folders of their own when they are removed', async () => {
    const key = newKey();
    const inOneShard = { ...key, attachmentId: `${newKey().attachmentId.slice(0, -2)}${key.attachmentId.slice(-2)}` };
    const elsewhere = {
      ...key,
      attachmentId: `${key.attachmentId.slice(0, -2)}${key.attachmentId.endsWith('00') ? '11' : '00'}`,
    };
    for (const one of [key, inOneShard, elsewhere]) await store.blobs.put(one, inPieces(content(10)));
    const home = join(store.folder, key.applicationId);
    await store.blobs.remove(key);
    assert.equal((await readdir(home)).length, 2);
    await store.blobs.removeAll(inOneShard);
    assert.deepEqual(await readdir(home), [elsewhere.attachmentId.slice(-2)]);
    await store.blobs.removeAll(elsewhere);
    await assert.rejects(stat(home), { code: 'ENOENT' });
    await assert.rejects(store.blobs.put(key, failing(content(10), new Error('gone'))), /gone/);
    await assert.rejects(stat(home), { code: 'ENOENT' });
  });

  it('find their folders, however often others remove them', async () => {
    const key = newKey();
    const shard = key.attachmentId.slice(-2);
    const putAndRemove = async () => {
      for (let time = 0; time < 50; time += 1) {
        const one = { ...key, attachmentId: `${newKey().attachmentId.slice(0, -2)}${shard}` };
        await store.blobs.put(one, inPieces(content(1)));
        await store.blobs.remove(one);
      }
    };
    await Promise.all(Array.from({ length: 4 }, putAndRemove));
    await assert.rejects(stat(join(store.folder, key.applicationId)), { code: 'ENOENT' });
  });

  it('cannot be kept where there is no folder', async () => {
    const path = join(store.folder, '..', 'file');
    await writeFile(path, '');
    const blobs = createDiskBlobs(join(path, 'attachments'));
    await assert.rejects(blobs.open(), (error) => {
      assert.ok(error instanceof StoreUnusable);
      assert.match(error.message, /^The folder of attachments .* cannot be read and written: /);
      return true;
    });
  });
});

describe('blobs on disk, limits', () => {
  it('close every file that was read, left or never there', { skip: platform() !== 'linux' }, async () => {
    const store = await startDisk();
    try {
      const key = newKey();
      await store.blobs.put(key, inPieces(content(300_000)));
      const openNow = async () => (await readdir('/proc/self/fd')).length;
      const atFirst = await openNow();
      for (let time = 0; time < 30; time += 1) {
        await bytesOf(await store.blobs.read(key, { start: 5, end: 200_000 }));
        const stream = await store.blobs.read(key);
        const closed = new Promise((resolve) => stream?.once('close', resolve));
        stream?.destroy();
        await closed;
        await store.blobs.read(newKey());
      }
      // The test runner may have opened something of its own meanwhile.
      assert.ok((await openNow()) < atFirst + 10);
    } finally {
      await store.close();
    }
  });

  const folder = mkdtemp(join(tmpdir(), 'cartulary-full-'));
  it('throw UNAVAILABLE on a full disk and leave nothing', { skip: process.getuid?.() !== 0 }, async (t) => {
    const path = await folder;
    if (!mountSmall(path)) {
      t.diagnostic('root of this machine may not mount');
      return;
    }
    try {
      const blobs = createDiskBlobs(join(path, 'attachments'));
      await blobs.open();
      const key = newKey();
      await assert.rejects(putVerified(blobs, key, inPieces(content(2_000_000))), (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, 'UNAVAILABLE');
        assert.deepEqual(error.params, { reason: 'storage' });
        assert.equal((error.cause as NodeJS.ErrnoException).code, 'ENOSPC');
        return true;
      });
      assert.deepEqual(await filesBelow(path), [join('attachments', MARKER)]);
      // There is room again, as nothing has stayed.
      const { size } = await putVerified(blobs, key, inPieces(content(800_000)));
      assert.equal(size, 800_000);
    } finally {
      execFileSync('umount', [path]);
    }
  });
  after(async () => rm(await folder, { recursive: true, force: true }));
});
