// Names of attachments over real HTTP: from an upload's Content-Disposition to the answer, and back in a download's, as
// a decoder reads it that knows nothing of the server's.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AttachmentScene, type Files, filesOf, type Metadata, openAttachments } from '../support/attachments.ts';
import { head, onWire } from '../support/http-client.ts';

const DOCUMENT = {
  collections: [{ id: 'tfiles00', name: 'Files', columns: [{ id: 'cfile000', name: 'File', type: 'Attachment' }] }],
};

/** As its UTF-8 bytes, one character each, which is how a header goes out. */
const raw = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const extended = (name: string): string => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
const quoted = (name: string): string => `attachment; filename="${name}"`;

/** RFC 6266 with RFC 8187, strictly: what a careful client takes the header for. */
function decode(header: string | undefined): string {
  assert.ok(header !== undefined, 'there is a Content-Disposition');
  assert.match(header, /^[\x20-\x7e]*$/, 'ASCII alone');
  const parts = /^attachment; filename="((?:[^"\\]|\\["\\])*)"(?:; filename\*=UTF-8''([\w!#$&+.^`|~%-]+))?$/.exec(
    header,
  );
  assert.ok(parts, `cannot be read: ${header}`);
  const [, plain = '', encoded] = parts;
  assert.doesNotMatch(plain, /[/\\%]/, 'nothing in the plain form that a browser might take for more');
  if (encoded === undefined) return plain;
  assert.doesNotMatch(encoded, /%(?![0-9A-F]{2})/, header);
  return decodeURIComponent(encoded);
}

const LONG = 'x'.repeat(296);
const EMOJI = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

/** By what they are about: the header as it is sent, and the name. */
const ROWS: Record<string, readonly (readonly [string | undefined, string])[]> = {
  'none at all': [
    [undefined, 'Unknonwn'],
    ['attachment', 'Unknonwn'],
    ['attachment; filename=""', 'Unknonwn'],
    ['inline; name="field"', 'Unknonwn'],
    [extended('..'), 'Unknonwn'],
    [quoted('../'), 'Unknonwn'],
  ],
  'plain names': [
    ['attachment; filename=a.txt', 'a.txt'],
    ['inline; filename="a b.txt"', 'a b.txt'],
    ['form-data; name="file"; filename="a;b=c, d.txt"', 'a;b=c, d.txt'],
    [quoted('100%.txt'), '100%.txt'],
    [quoted('%41.txt'), '%41.txt'],
    [quoted("it's (1)*.txt"), "it's (1)*.txt"],
    [quoted('.hidden'), '.hidden'],
  ],
  'RFC 8187': [
    ["attachment; filename*=UTF-8''%e2%82%ac%20rates.txt", '€ rates.txt'],
    ['attachment; filename="EURO.txt"; filename*=utf-8\'en\'%e2%82%ac.txt', '€.txt'],
    ['attachment; filename*=UTF-8\'\'%e2%82%ac.txt; filename="EURO.txt"', '€.txt'],
    ["attachment; filename*=ISO-8859-1''%a3.txt", '£.txt'],
    ['attachment; filename="a.txt"; filename*=UTF-8\'\'%ff', 'a.txt'],
    ['attachment; filename="a.txt"; filename*=UTF-8\'\'%zz', 'a.txt'],
    [extended('日本語 – файл.pdf'), '日本語 – файл.pdf'],
  ],
  'quotes and backslashes': [
    ['attachment; filename="say \\"hi\\".txt"', 'say "hi".txt'],
    [extended('say "hi".txt'), 'say "hi".txt'],
    [extended('a";b.txt'), 'a";b.txt'],
    [extended('a\\b.txt'), 'b.txt'],
    ['attachment; filename="a\\\\b.txt"', 'b.txt'],
  ],
  paths: [
    [quoted('../../etc/passwd'), 'passwd'],
    [extended('../../etc/passwd'), 'passwd'],
    [quoted('C:\\x'), 'x'],
    [quoted('C:\\\\photos\\\\x.jpg'), 'x.jpg'],
    [extended('C:\\photos\\x.jpg'), 'x.jpg'],
    ["attachment; filename*=UTF-8''..%2F..%2fx.txt", 'x.txt'],
    [quoted('folder/'), 'folder'],
  ],
  'control characters': [
    ["attachment; filename*=UTF-8''a%00b.txt", 'ab.txt'],
    ["attachment; filename*=UTF-8''a%0d%0aSet-Cookie:%20b.txt", 'aSet-Cookie: b.txt'],
    [extended('a\u0001\u001f\u007f\u0085bc.txt'), 'abc.txt'],
    [quoted('a\tb.txt'), 'ab.txt'],
    ["attachment; filename*=UTF-8''%00", 'Unknonwn'],
  ],
  'any Unicode': [
    [extended('a\u2028b\u2029.txt'), 'a\u2028b\u2029.txt'],
    [extended('\u202egpj.exe'), '\u202egpj.exe'],
    [extended('\u200fשלום\u200e.txt'), '\u200fשלום\u200e.txt'],
    [extended(`${EMOJI}.png`), `${EMOJI}.png`],
    [extended('e\u0301.txt'), 'e\u0301.txt'],
    [extended('\u{10ffff}\ufffd\ufeff'), '\u{10ffff}\ufffd\ufeff'],
  ],
  'bytes beyond ASCII in the header': [
    [raw(quoted('日本語.txt')), '日本語.txt'],
    [raw(quoted(`${EMOJI}.png`)), `${EMOJI}.png`],
    [raw('attachment; filename=voilà'), 'voilà'],
    [quoted('caf\u00e9.txt'), 'café.txt'],
  ],
  'too long a name': [
    [quoted(`${LONG}.txt`), `${'x'.repeat(251)}.txt`],
    [extended(`${'\u{1f600}'.repeat(300)}.jpeg`), `${'\u{1f600}'.repeat(250)}.jpeg`],
    [quoted('y'.repeat(255)), 'y'.repeat(255)],
    [quoted('y'.repeat(256)), 'y'.repeat(255)],
    [quoted(`a.${LONG}`), `a.${'x'.repeat(253)}`],
  ],
};

describe('names of attachments', () => {
  let scene: AttachmentScene;
  let files: Files;

  before(async () => {
    scene = await openAttachments('disk', DOCUMENT);
    files = filesOf(scene, 'Files');
  });
  after(() => scene.close());

  /** Not through Node's client, which has ideas of its own about this header. */
  const upload = (disposition: string | undefined): Promise<Metadata> =>
    onWire(scene.server.address, async (wire) => {
      const sent = disposition === undefined ? {} : { 'content-disposition': disposition };
      const headers = { authorization: `Bearer ${scene.app.admin.token}`, 'content-length': '1', ...sent };
      wire.write(Buffer.from(`${head('POST', files.path, headers)}x`, 'latin1'));
      const { status, body, text } = await wire.answer();
      assert.equal(status, 200, text);
      return body;
    });

  for (const [about, rows] of Object.entries(ROWS)) {
    it(`${about}: what was read is what records and downloads say`, async () => {
      for (const [sent, name] of rows) {
        const what = JSON.stringify(sent);
        const found = await upload(sent);
        assert.equal(found.name, name, what);
        const { headers } = await files.get(found.id);
        assert.equal(decode(headers['content-disposition']), name, what);
        const json = { values: { cfile000: { type: 'Attachment', id: found.id } } };
        const record = await scene.app.send('POST', scene.app.records('Files'), { json });
        assert.equal(record.body.values?.cfile000.name, name, what);
        // And once more around, as a client does that copies files.
        assert.equal((await upload(headers['content-disposition'])).name, name, what);
      }
    });
  }

  it('a raw NUL is refused and harms no other request', async () => {
    await onWire(scene.server.address, async (wire) => {
      const headers = { authorization: `Bearer ${scene.app.admin.token}`, 'content-length': '1' };
      wire.write(`${head('POST', files.path, { ...headers, 'content-disposition': quoted('a\0b') })}x`);
      const { status, body } = await wire.answer();
      assert.equal(status, 400);
      assert.equal(body.code, 'INVALID_PARAMETER');
    });
    assert.equal((await files.upload('x')).name, 'Unknonwn');
  });
});
