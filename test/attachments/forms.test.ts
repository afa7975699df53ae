// Files that are sent in a form, as curl -F and browsers do, and those of curl --data-binary.

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import {
  type Files,
  filesOf,
  onBothStores,
  randomFile,
  refusedBytes,
  traces,
  untilGone,
  uploaded,
} from '../support/attachments.ts';
import { head, onWire } from '../support/http-client.ts';

const LIMIT_BYTES = 400_000;
const DOCUMENT = {
  maxAttachmentBytes: LIMIT_BYTES,
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ name: 'File', type: 'Attachment' }] }],
};
const TYPE = 'multipart/form-data; boundary=b0';
/** A name of which only its presence can be told. */
const UNREADABLE = "form-data; name=a; filename*=windows-1252''caf%E9.txt";
const SAMPLE = { name: 'file', filename: 'photo.jpg', type: 'image/jpeg' };
/** As curl -F more=@b,c sends it. */
const MIXED = { name: 'more', type: 'Multipart/Mixed; boundary=n0' };
const NESTED = ['b', 'c']
  .map((name) => `--n0\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${name}\r\n`)
  .concat('--n0--\r\n')
  .join('');

interface Sent {
  readonly name?: string;
  readonly filename?: string;
  /** Instead of the name and filename. */
  readonly disposition?: string;
  readonly type?: string;
  readonly encoding?: string;
}

function part({ name = 'a', filename, disposition, type, encoding }: Sent, content: Uint8Array | string): Buffer {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  const head = [
    '--b0',
    `Content-Disposition: ${disposition ?? `form-data; name="${name}"${file}`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
}

const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from('--b0--\r\n')]);

onBothStores('a form', { document: DOCUMENT }, (scene) => {
  let files: Files;
  before(() => {
    files = filesOf(scene(), 'Files');
  });

  const send = (body: Uint8Array, more: Parameters<Files['send']>[2] = {}) =>
    files.send(body, { 'content-type': TYPE }, more);

  /** What is refused leaves no row and no bytes. */
  async function leavesNothing(work: () => Promise<unknown>): Promise<void> {
    const left = await traces(scene());
    await work();
    await untilGone(scene(), left);
  }

  it('with one file is that file, small or large, with and without a length', async () => {
    for (const size of [0, 1, 5_000, 300_000, LIMIT_BYTES]) {
      const content = randomFile(size);
      const body = form(part(SAMPLE, content));
      for (const chunked of [false, true]) {
        const reply = await send(body, chunked ? { chunked } : {});
        const { id, ...rest } = uploaded(reply);
        assert.deepEqual(rest, { name: 'photo.jpg', contentType: 'image/jpeg', size });
        const back = await files.get(id);
        assert.ok(content.equals(back.bytes), `${size} bytes`);
        assert.equal(back.headers['content-type'], 'image/jpeg');
      }
    }
  });

  it('may have other fields before and after its file, and an empty choice of files', async () => {
    const body = form(
      part({ name: 'note' }, 'x'.repeat(10_000)),
      part({ name: 'none', filename: '', type: 'application/octet-stream' }, ''),
      part(SAMPLE, 'content'),
      part({ name: 'note' }, 'y'),
    );
    const { id } = uploaded(await send(body));
    assert.equal((await files.get(id)).bytes.toString(), 'content');
  });

  it('gives its file the name and the type of the part', async () => {
    for (const [sent, name, contentType] of [
      [{ filename: 'Übersicht 東京.pdf', type: 'application/pdf' }, 'Übersicht 東京.pdf', 'application/pdf'],
      [{ filename: 'a%22b%0D%0A.txt' }, 'a"b.txt', 'application/octet-stream'],
      [{ filename: 'a\\"b.txt' }, 'a"b.txt', 'application/octet-stream'],
      [{ filename: '../../etc/passwd', type: 'text/plain; charset=utf-8' }, 'passwd', 'text/plain; charset=utf-8'],
      [
        { disposition: "form-data; filename=x; filename*=UTF-8''na%C3%AFve.txt" },
        'naïve.txt',
        'application/octet-stream',
      ],
      [{ filename: '..', encoding: 'binary' }, 'Unknonwn', 'application/octet-stream'],
      [{ filename: '' }, 'Unknonwn', 'application/octet-stream'],
      [{ disposition: UNREADABLE }, 'Unknonwn', 'application/octet-stream'],
    ] as const) {
      const { id: _, size: _size, ...rest } = uploaded(await send(form(part(sent, 'x'))));
      assert.deepEqual(rest, { name, contentType });
    }
  });

  it('without a file, or with several, stores nothing', async () => {
    for (const [body, reason] of [
      [form(), /has no file/],
      [form(part({ name: 'note' }, 'x')), /has no file/],
      [form(part({ filename: '' }, '')), /has no file/],
      [form(part(SAMPLE, 'one'), part(SAMPLE, 'two')), /several files/],
      [form(part(SAMPLE, randomFile(300_000)), part({ name: 'note' }, ''), part(SAMPLE, 'two')), /several files/],
      [form(part(SAMPLE, 'one'), part({ disposition: UNREADABLE }, 'two')), /several files/],
      [form(part(SAMPLE, 'one'), part({ disposition: UNREADABLE }, '')), /several files/],
      [form(part(SAMPLE, 'one'), part({ filename: '' }, 'two')), /several files/],
      [form(part(SAMPLE, 'one'), part(MIXED, NESTED)), /several files/],
      [form(part(MIXED, NESTED), part(SAMPLE, 'one')), /several files/],
      [form(part(MIXED, NESTED)), /several files/],
    ] as const) {
      await leavesNothing(async () => {
        assert.match(refusedBytes(await send(body), 400, 'INVALID_BODY').reason, reason);
      });
    }
  });

  it('that is cut off or cannot be read stores nothing', async () => {
    const whole = form(part(SAMPLE, randomFile(1_000)));
    for (const body of [
      whole.subarray(0, 30),
      whole.subarray(0, 500),
      whole.subarray(0, whole.length - 6),
      Buffer.from('not a form'),
      form(part({ ...SAMPLE, encoding: 'base64' }, 'eA==')),
    ]) {
      await leavesNothing(async () => {
        assert.match(refusedBytes(await send(body), 400, 'INVALID_BODY').reason, /^the form cannot be read: /);
      });
    }
    await leavesNothing(async () => {
      refusedBytes(await send(form(part({ ...SAMPLE, type: 'nonsense' }, 'x'))), 400, 'INVALID_CONTENT_TYPE');
      const headers = { 'content-type': 'multipart/form-data' };
      refusedBytes(await files.send(whole, headers), 400, 'INVALID_CONTENT_TYPE');
    });
  });

  it('has a file of at most the allowed size, whatever is declared', async () => {
    for (const size of [LIMIT_BYTES + 1, 2 * LIMIT_BYTES]) {
      const body = form(part(SAMPLE, randomFile(size)));
      for (const chunked of [false, true]) {
        await leavesNothing(async () => {
          const params = refusedBytes(await send(body, chunked ? { chunked } : {}), 400, 'INVALID_BODY');
          assert.match(params.reason, /larger than/);
          assert.equal(params.maxBytes, LIMIT_BYTES);
        });
      }
    }
  });

  it('has at most 64 KB besides its file, wherever they are', async () => {
    const file = part(SAMPLE, 'tiny');
    const besides = (place: string, size: number): Buffer => {
      if (place === 'before') return Buffer.concat([Buffer.alloc(size, 'x'), Buffer.from('\r\n'), form(file)]);
      if (place === 'after') return Buffer.concat([form(file), Buffer.alloc(size, 'x')]);
      const field = part({ name: 'note' }, Buffer.alloc(size, 'x'));
      return place === 'field before' ? form(field, file) : form(file, field);
    };
    for (const place of ['before', 'after', 'field before', 'field after']) {
      uploaded(await send(besides(place, 60_000)));
      for (const chunked of [false, true]) {
        await leavesNothing(async () => {
          const reply = await send(besides(place, 70_000), chunked ? { chunked } : {});
          assert.match(
            refusedBytes(reply, 400, 'INVALID_BODY').reason,
            /more than 65536 bytes besides its file/,
            place,
          );
        });
      }
    }
    uploaded(await send(form(part({ name: 'note' }, 'x'.repeat(60_000)), part(SAMPLE, randomFile(LIMIT_BYTES)))));
  });

  it('leaves its connection usable when it is refused', async () => {
    const { server, app } = scene();
    const body = Buffer.concat([form(part(SAMPLE, 'one'), part(SAMPLE, 'two')), Buffer.alloc(50_000)]);
    const headers = { authorization: `Bearer ${app.admin.token}`, 'content-type': TYPE };
    await onWire(server.address, async (wire) => {
      wire.write(head('POST', files.path, { ...headers, 'content-length': String(body.length) })).write(body);
      assert.equal((await wire.answer()).status, 400);
      wire.write(head('GET', '/healthz'));
      assert.equal((await wire.answer()).status, 200);
    });
  });

  it('is not what curl --data-binary declares: that counts as no type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8']) {
      const { contentType } = uploaded(await files.send('bytes', { 'content-type': type }));
      assert.equal(contentType, 'application/octet-stream');
    }
  });
});
