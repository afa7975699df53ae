// The names of attachments: what is read from whatever clients send, how it is cleaned, and that a download says the same.

import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  contentDisposition,
  FILENAME_CHARACTERS_MAX,
  readFilename,
  readUploadName,
  UNKNOWN_NAME,
} from '../../src/domain/attachments/filenames.ts';

const SEED = 6266;
/** A header as Node hands it over when the client has sent UTF-8. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

type Rows = readonly (readonly [sent: string | undefined, name: string])[];
function assertRead(rows: Rows): void {
  for (const [sent, name] of rows) assert.equal(readFilename(sent), name, JSON.stringify(sent));
}

test('without a filename the name is the literal of the contract', () => {
  assert.equal(UNKNOWN_NAME, 'Unknonwn');
  assertRead([
    [undefined, 'Unknonwn'],
    ['', 'Unknonwn'],
    [' ', 'Unknonwn'],
    ['attachment', 'Unknonwn'],
    ['attachment;', 'Unknonwn'],
    ['form-data; name="file"', 'Unknonwn'],
    ['attachment; filename', 'Unknonwn'],
    ['attachment; filename=', 'Unknonwn'],
    ['attachment; filename=""', 'Unknonwn'],
    ['attachment; filename="', 'Unknonwn'],
    ["attachment; filename*=UTF-8''", 'Unknonwn'],
    ['attachment; filenames=a.txt', 'Unknonwn'],
    ['attachment; xfilename=a.txt', 'Unknonwn'],
    ['attachment; filename*0="a"; filename*1=".txt"', 'Unknonwn'],
    ['filename', 'Unknonwn'],
    [';;;===;', 'Unknonwn'],
  ]);
});

test('filename in every shape that clients give it', () => {
  assertRead([
    ['attachment; filename="a.txt"', 'a.txt'],
    ['inline; filename="a.txt"', 'a.txt'],
    ['form-data; name="file"; filename="a.txt"', 'a.txt'],
    ['attachment; filename=a.txt', 'a.txt'],
    ['attachment;filename=a.txt;', 'a.txt'],
    ['ATTACHMENT; FileName="A.txt"', 'A.txt'],
    ['attachment ;\t filename\t =  "a.txt" ; size=3', 'a.txt'],
    ['filename=a.txt', 'a.txt'],
    ['filename="a.txt"', 'a.txt'],
    ['; filename="a.txt"', 'a.txt'],
    ['attachment filename="a.txt"', 'a.txt'],
    ['attachment; filename=my file, second.txt ; size=3', 'my file, second.txt'],
    ['attachment; filename="my file; second=2.txt"', 'my file; second=2.txt'],
    ['form-data; name="a; filename=b.txt"; filename="c.txt"', 'c.txt'],
    ['attachment; filename="a.txt', 'a.txt'],
    ['attachment; filename="a;b.txt', 'a;b.txt'],
    ['attachment; filename="a.txt\\', 'a.txt'],
    ['attachment; filename="a.txt" junk; size=3', 'a.txt'],
    ['attachment; filename="a.txt"; filename="b.txt"', 'a.txt'],
    ['attachment; filename="a.txt", attachment; filename="b.txt"', 'a.txt'],
    ['attachment; filename=""; filename="b.txt"', 'b.txt'],
    ["attachment; filename='a.txt'", "'a.txt'"],
    ['attachment; filename=a"b".txt', 'a"b".txt'],
    ['attachment; filename="  a.txt "', '  a.txt '],
    ['attachment; filename=  a.txt\t ', 'a.txt'],
    ['attachment; filename="%41%2ftxt"', '%41%2ftxt'],
    ['attachment; filename="=?UTF-8?B?YS50eHQ=?="', '=?UTF-8?B?YS50eHQ=?='],
  ]);
});

test('escapes in a quoted filename', () => {
  assertRead([
    ['attachment; filename="a\\"b\\".txt"', 'a"b".txt'],
    ['attachment; filename="\\a\\.\\t\\x\\t"', 'a.txt'],
    ['attachment; filename="a\\;b.txt"', 'a;b.txt'],
    ['attachment; filename="a.txt\\""; filename*=x', 'a.txt"'],
    ['attachment; filename="C:\\\\a\\\\b.txt"', 'b.txt'],
    ['attachment; filename="C:\\fakepath\\b.txt"', 'b.txt'],
    ['attachment; filename="C:\\a\\b \\"c\\".txt"', 'b "c".txt'],
    ['attachment; filename=C:\\a\\b.txt', 'b.txt'],
    ['attachment; filename="\\\\\\\\server\\\\share\\\\b.txt"', 'b.txt'],
  ]);
});

test('bytes of UTF-8 are recognised, others are ISO-8859-1', () => {
  assertRead([
    [bytesOf('attachment; filename="日本語 🗾.txt"'), '日本語 🗾.txt'],
    [bytesOf('attachment; filename=café.txt'), 'café.txt'],
    [bytesOf('attachment; filename=voilà'), 'voilà'], // its last byte is U+00A0, a blank for String.trim
    [bytesOf('attachment; filename="\\é.txt"'), 'é.txt'],
    [bytesOf('attachment; filename="\ufeffa.txt"'), '\ufeffa.txt'],
    [bytesOf('attachment; filename="e\u0301.txt"'), 'e\u0301.txt'], // not normalised
    ['attachment; filename="caf\xe9.txt"', 'café.txt'],
    ['attachment; filename="\xc3"', 'Ã'],
    ['attachment; filename="\xc0\xaf.txt"', 'À¯.txt'], // an overlong slash is none
    ['attachment; filename="\xed\xa0\xbd.txt"', 'í\xa0½.txt'], // half a surrogate pair is no UTF-8
    ['attachment; filename="日本\xe9.txt"', '日本é.txt'], // no bytes at all
  ]);
});

test('filename* wins wherever it stands, if it can be read', () => {
  assertRead([
    ["attachment; filename*=UTF-8''%e2%82%ac%20rates.txt", '€ rates.txt'],
    ["attachment; filename*=UTF-8''b.txt; filename=a.txt", 'b.txt'],
    ["attachment; filename=a.txt; filename*=UTF-8''b.txt", 'b.txt'],
    ["attachment; filename=a.txt; FILENAME* = utf-8'en-GB'b.txt", 'b.txt'],
    ["attachment; filename=a.txt; filename*=iso-8859-1'en'%A3%20rates", '£ rates'],
    ["attachment; filename=a.txt; filename*=ISO-8859-1''%c3%a9", 'Ã©'],
    ["filename*=UTF-8''b.txt", 'b.txt'],
    ['attachment; filename=a.txt; filename*="UTF-8\'\'b%20c.txt"', 'b c.txt'],
    [bytesOf("attachment; filename*=UTF-8''b é.txt"), 'b é.txt'],
    ["attachment; filename*=UTF-8''it's.txt", "it's.txt"],
    ["attachment; filename*=UTF-8''a%2Fb%5Cc.txt", 'c.txt'],
    ["attachment; filename*=UTF-8''a%00%0D%0Ab.txt", 'ab.txt'],
    ["attachment; filename*=UTF-8''%EF%BB%BFa.txt", '\ufeffa.txt'],
    ["attachment; filename*=UTF-8''%2541.txt", '%41.txt'],
  ]);
});

test('filename counts where filename* cannot be read', () => {
  for (const extended of [
    "UTF-8''%",
    "UTF-8''b%2",
    "UTF-8''b%zz.txt",
    "UTF-8''%+1b.txt",
    "ISO-8859-1''b%2",
    "UTF-8''%ff.txt",
    "UTF-8''%c0%af",
    "UTF-8''%ed%a0%bd",
    "UTF-8''\xff.txt",
    "UTF-8''€.txt",
    "UTF-16''b.txt",
    "''b.txt",
    "UTF-8'b.txt",
    'b.txt',
    '',
    '""',
    "UTF-8''",
    "UTF-8''..",
    "UTF-8''%00",
  ]) {
    assert.equal(readFilename(`attachment; filename=a.txt; filename*=${extended}`), 'a.txt', extended);
    assert.equal(readFilename(`attachment; filename*=${extended}; filename=a.txt`), 'a.txt', extended);
    assert.equal(readFilename(`attachment; filename*=${extended}`), UNKNOWN_NAME, extended);
  }
  assert.equal(readFilename("attachment; filename*=x; filename*=UTF-8''b; filename=a"), 'b');
});

test('cleaning', () => {
  const rows: Rows = [
    ['a.txt', 'a.txt'],
    ['C:\\a\\b.txt', 'b.txt'],
    ['C:b.txt', 'C:b.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/a\\b/c\\d', 'd'],
    ['a/b/', 'b'],
    ['a/b//\\', 'b'],
    ['a/\0', 'a'],
    ['/', UNKNOWN_NAME],
    ['\\\\', UNKNOWN_NAME],
    ['', UNKNOWN_NAME],
    ['.', UNKNOWN_NAME],
    ['..', UNKNOWN_NAME],
    ['a/..', UNKNOWN_NAME],
    ['a/../', UNKNOWN_NAME],
    ['.\0.', UNKNOWN_NAME],
    ['\u0000\u001f\u007f\u0080\u009f', UNKNOWN_NAME],
    ['...', '...'],
    ['.env', '.env'],
    [' ', ' '],
    ['a\r\nb\tc.txt', 'abc.txt'],
    ['a\u0085b', 'ab'],
    ['a\u2028\u2029b', 'a\u2028\u2029b'],
    ['\u202egpj.exe\u200f\u200d', '\u202egpj.exe\u200f\u200d'],
    ['e\u0301\u00a0\u3000\ufeff\uffff', 'e\u0301\u00a0\u3000\ufeff\uffff'],
    ['／＼.txt', '／＼.txt'],
    ['\ud83d', '\ufffd'],
    ['\ude00\ud83d.txt', '\ufffd\ufffd.txt'],
    ['\ud83d\0\ude00', '\ufffd\ufffd'],
    ['😀.txt', '😀.txt'],
    ['%2e%2e', '%2e%2e'],
    ['a"b', 'a"b'],
    [UNKNOWN_NAME, UNKNOWN_NAME],
  ];
  for (const [given = '', name] of rows) assert.equal(readUploadName(given), name, JSON.stringify(given));
});

test('long names are cut in front of their extension', () => {
  const x = (count: number): string => 'x'.repeat(count);
  const smile = (count: number): string => '😀'.repeat(count);
  for (const [given, name] of [
    [x(255), x(255)],
    [x(256), x(255)],
    [smile(255), smile(255)],
    [smile(256), smile(255)],
    [`${x(251)}.txt`, `${x(251)}.txt`],
    [`${x(252)}.txt`, `${x(251)}.txt`],
    [`${smile(300)}.txt`, `${smile(251)}.txt`],
    [`${x(300)}.${smile(100)}`, `${x(154)}.${smile(100)}`],
    [`${x(300)}.${smile(101)}`, x(255)],
    [`${x(300)}.tar.gz`, `${x(252)}.gz`],
    [`${x(300)}.`, x(255)],
    [`${x(254)}.`, `${x(254)}.`],
    [`a.${x(300)}`, `a.${x(253)}`],
    [`.${x(300)}`, `.${x(254)}`],
    [`.${x(300)}.txt`, `.${x(250)}.txt`],
    [`${'.'.repeat(300)}txt`, `${'.'.repeat(252)}txt`],
    [`${'.'.repeat(300)}`, '.'.repeat(255)],
    [`${x(300)}/${x(300)}.txt`, `${x(251)}.txt`],
  ] as const) {
    assert.equal(readUploadName(given), name, `${given.slice(0, 5)}… of ${given.length}`);
  }
});

test('a download names its file', () => {
  for (const [name, header] of [
    ['a.txt', 'attachment; filename="a.txt"'],
    ["my file; (2)'s =.txt", 'attachment; filename="my file; (2)\'s =.txt"'],
    ['', 'attachment; filename="Unknonwn"'],
    ['a"b.txt', 'attachment; filename="a_b.txt"; filename*=UTF-8\'\'a%22b.txt'],
    ['100%41.txt', 'attachment; filename="100_41.txt"; filename*=UTF-8\'\'100%2541.txt'],
    ['é😀.txt', 'attachment; filename="__.txt"; filename*=UTF-8\'\'%C3%A9%F0%9F%98%80.txt'],
    ["€*'().txt", "attachment; filename=\"_*'().txt\"; filename*=UTF-8''%E2%82%AC%2A%27%28%29.txt"],
    ['a\r\nSet-Cookie: b', 'attachment; filename="aSet-Cookie: b"'],
    ['\ud83d', 'attachment; filename="_"; filename*=UTF-8\'\'%EF%BF%BD'],
  ] as const) {
    assert.equal(contentDisposition(name), header);
  }
});

const unit = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...'ab.. ;=\'"%\\/*,\t\0\r\n\u00a0\u0085\u2028\u202e\ufeff'.split('')) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const anyText = fc.array(unit, { maxLength: 300, size: 'max' }).map((units) => units.join(''));

function assertClean(name: string): void {
  assert.doesNotMatch(name, /[\p{Cc}\p{Surrogate}/\\]/u);
  assert.ok(!['', '.', '..'].includes(name) && Array.from(name).length <= FILENAME_CHARACTERS_MAX);
}

test('a cleaned name is clean, stays as it is, and survives a download and an upload', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const name = readUploadName(text);
      assertClean(name);
      assert.equal(readUploadName(name), name);
      const header = contentDisposition(name);
      validateHeaderValue('content-disposition', header);
      assert.match(header, /^attachment; filename="[ !#$&-[\]-~]+"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/);
      assert.equal(readFilename(header), name);
      assert.equal(contentDisposition(text), header);
    }),
    { seed: SEED, numRuns: 5000 },
  );
});

test('whatever is sent, a clean name is read', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'attachment',
      ';',
      '=',
      '"',
      '\\',
      'filename',
      'filename*',
      "UTF-8''",
      "ISO-8859-1''",
      '%C3%A9',
      '%',
      ' ',
    ),
    fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40, size: 'max' }), (pieces) =>
      assertClean(readFilename(pieces.join(''))),
    ),
    { seed: SEED, numRuns: 10_000 },
  );
});

test('any name is read as it was quoted, in either encoding', () => {
  const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(anyText, (text) => {
      const storable = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
      const name = readUploadName(storable);
      assert.equal(readFilename(bytesOf(`form-data; filename=${quote(storable)}; size=3`)), name);
      const encoded = Array.from(Buffer.from(storable), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      assert.equal(readFilename(`attachment; filename=""; filename*=utf-8''${encoded}`), name);
    }),
    { seed: SEED, numRuns: 3000 },
  );
});

test('very long headers are read in one go', () => {
  // Anything that looks back at what it has read would take 10^10 steps for these.
  for (const piece of [
    'a',
    ' ',
    ';',
    '=',
    '"',
    '\\',
    '\\"',
    '/',
    '.',
    '%',
    '%41',
    "'",
    'a ',
    ' a',
    'filename="',
    'a=";',
    '\0',
    '\xe9',
  ]) {
    const long = piece.repeat(200_000 / piece.length);
    for (const header of [
      long,
      `filename=${long}`,
      `filename="${long}`,
      `filename="${long}"x`,
      `filename*=UTF-8''${long}`,
    ]) {
      assertClean(readFilename(header));
    }
    assertClean(readUploadName(`${long}x`));
    assert.ok(contentDisposition(long).length < 4000);
  }
});
