// tus-js-client, as it is, against the server: the client that is most in use, also where its connection is cut.

import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import * as tus from 'tus-js-client';
import { type AttachmentScene, filesOf, openAttachments, randomFile, sha256 } from '../support/attachments.ts';
import { DOCUMENT, MIB, uploadsOf } from '../support/uploads.ts';

/** A proxy that cuts each of its first connections after so many bytes from the client. */
async function cuttingProxy(address: string, cuts: number[]) {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    let passed = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      if (cuts[0] === undefined || passed < cuts[0]) {
        if (!upstream.write(chunk)) {
          client.pause();
          upstream.once('drain', () => client.resume());
        }
        return;
      }
      cuts.shift();
      // The server sees an end, the client a connection that is reset.
      upstream.end();
      client.resetAndDestroy();
    });
    client.on('close', () => upstream.end());
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address() as { port: number };
  return {
    address: `http://127.0.0.1:${at.port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('tus-js-client', () => {
  let scene: AttachmentScene;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
  });
  after(() => scene.close());

  const endpointAt = (address: string) => address + uploadsOf(address, scene.app).path;

  /** The ID of the attachment that it became. */
  function upload(bytes: Buffer, address: string, options: tus.UploadOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const one = new tus.Upload(bytes, {
        endpoint: endpointAt(address),
        headers: { authorization: `Bearer ${scene.app.admin.token}` },
        metadata: { filename: 'Überblick.bin', filetype: 'application/x-test' },
        retryDelays: [0, 200, 500, 1000],
        onError: reject,
        onSuccess: () => resolve(one.url?.split('/').at(-1) ?? ''),
        ...options,
      });
      one.start();
    });
  }

  async function assertThere(id: string, bytes: Buffer): Promise<void> {
    const back = await filesOf(scene, 'Files').get(id);
    assert.equal(back.status, 200);
    assert.equal(back.headers.etag, `"${sha256(bytes)}"`);
    assert.ok(back.bytes.equals(bytes));
    assert.equal(back.headers['content-type'], 'application/x-test');
    assert.match(String(back.headers['content-disposition']), /filename\*=UTF-8''%C3%9Cberblick\.bin/);
  }

  for (const [how, options] of Object.entries({
    'in one request': {},
    'in chunks': { chunkSize: MIB },
    'with POST for other verbs': { overridePatchMethod: true },
    'with bytes in the announcement, which are not taken': { uploadDataDuringCreation: true },
  } satisfies Record<string, tus.UploadOptions>)) {
    it(`uploads ${how}`, async () => {
      const bytes = randomFile(5 * MIB + 7);
      await assertThere(await upload(bytes, scene.server.address, options), bytes);
    });
  }

  it('uploads an empty file', async () => {
    const bytes = Buffer.alloc(0);
    await assertThere(await upload(bytes, scene.server.address), bytes);
  });

  it('goes on after its connection was cut, and sends nothing twice but what was on its way', async () => {
    const proxy = await cuttingProxy(scene.server.address, [3 * MIB, 4 * MIB]);
    const bytes = randomFile(20 * MIB);
    const offsets: number[] = [];
    try {
      const id = await upload(bytes, proxy.address, {
        onBeforeRequest: (request) => {
          if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')));
        },
      });
      await assertThere(id, bytes);
    } finally {
      await proxy.close();
    }
    assert.ok(offsets.length >= 3, offsets.join(', '));
    assert.ok((offsets.at(-1) ?? 0) > 2.5 * MIB, `what has come is kept: ${offsets.join(', ')}`);
  });

  it('stops, and goes on from what it has remembered', async () => {
    const bytes = randomFile(6 * MIB);
    const url = await new Promise<string>((resolve, reject) => {
      const one = new tus.Upload(bytes, {
        endpoint: endpointAt(scene.server.address),
        headers: { authorization: `Bearer ${scene.app.admin.token}` },
        metadata: { filename: 'Überblick.bin', filetype: 'application/x-test' },
        chunkSize: 2 * MIB,
        onError: reject,
        onChunkComplete: () => void one.abort().then(() => resolve(one.url ?? ''), reject),
      });
      one.start();
    });
    await assertThere(await upload(bytes, scene.server.address, { uploadUrl: url }), bytes);
  });

  it('gives an upload up', async () => {
    const { server, app } = scene;
    const uploads = uploadsOf(server.address, app);
    const { id } = await uploads.announced(10);
    const headers = { authorization: `Bearer ${app.admin.token}` };
    await tus.Upload.terminate(`${endpointAt(server.address)}/${id}`, { headers });
    assert.equal((await uploads.state(id)).status, 404);
  });
});
