// The parts of a form, in whatever chunks it arrives.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BESIDES_BYTES_MAX, boundaryOf, FormParts } from '../../src/http/requests/form-parts.ts';

const BOUNDARY = '----x-b0undary';

interface Part {
  readonly headers: Record<string, string>;
  readonly content: Buffer;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

const formOf = (parts: readonly Part[], { preamble = '', epilogue = '\r\n', boundary = BOUNDARY } = {}): Buffer =>
  Buffer.concat([
    ...(preamble === '' ? [] : [bytes(`${preamble}\r\n`)]),
    ...parts.flatMap(({ headers, content }) => [
      bytes(`--${boundary}\r\n`),
      bytes(
        Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join(''),
      ),
      bytes('\r\n'),
      content,
      bytes('\r\n'),
    ]),
    bytes(`--${boundary}--${epilogue}`),
  ]);

/** The body cut at these places. Each chunk is valid until the next one is asked for. */
async function* cut(body: Buffer, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...new Set(places.map((place) => place % (body.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, body.length]) {
    // Also empty chunks, which change nothing.
    const chunk = Buffer.from(body.subarray(from, end));
    yield chunk;
    chunk.fill('!');
    from = end;
  }
}

async function contentOf(parts: FormParts): Promise<Buffer> {
  const content: Uint8Array[] = [];
  for await (const chunk of parts.content()) content.push(Buffer.from(chunk));
  return Buffer.concat(content);
}

async function read(source: AsyncIterable<Uint8Array>, boundary = BOUNDARY): Promise<Part[]> {
  const parts = new FormParts(source, boundary);
  const found: Part[] = [];
  for (let headers = await parts.next(); headers !== undefined; headers = await parts.next()) {
    found.push({ headers: Object.fromEntries(headers), content: await contentOf(parts) });
  }
  await parts.end();
  return found;
}

const refusedBecause = (body: Buffer, why: RegExp) =>
  assert.rejects(read(cut(body, [])), (error: Error & { code?: string; params?: { reason: string } }) => {
    assert.equal(error.code, 'INVALID_BODY');
    assert.match(error.params?.reason ?? '', why);
    return true;
  });

const PIECES = ['\r\n', '\r', '\n', '--', BOUNDARY.slice(0, -1), `\r\n--${BOUNDARY.slice(0, -1)}`, '-', 'x', '\0', 'ÿ'];
const content = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary-ascii', maxLength: 20 })), { maxLength: 12 })
  .map((pieces) => bytes(pieces.join('')))
  .filter((text) => !Buffer.concat([bytes('\r\n'), text]).includes(`\r\n--${BOUNDARY}`));
const part = content.map(
  (text): Part => ({ headers: { 'content-disposition': 'form-data; name="a"' }, content: text }),
);

describe('the parts of a form', () => {
  it('are the same in whatever chunks the body arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 4 }),
        fc.array(fc.nat(2_000), { maxLength: 30 }),
        fc.constantFrom('', 'text before', '--not\r\n--it'),
        fc.constantFrom('', '\r\n', ' \t\r\nafter it', '\r\n--other--'),
        async (parts, places, preamble, epilogue) => {
          const body = formOf(parts, { preamble, epilogue });
          assert.deepEqual(await read(cut(body, places)), parts);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('are the same byte by byte', async () => {
    const parts = [
      { headers: {}, content: bytes(`\r\n\r\n--${BOUNDARY.slice(0, -1)}\r\n`) },
      { headers: { 'content-type': 'a/b', 'x-y': 'z' }, content: bytes('') },
    ];
    const body = formOf(parts, { preamble: 'p' });
    const everywhere = Array.from({ length: body.length }, (_, at) => at);
    assert.deepEqual(await read(cut(body, everywhere)), parts);
  });

  it('are refused wherever the body is cut off', async () => {
    const body = formOf([{ headers: { a: 'b' }, content: bytes('content') }], { epilogue: '' });
    for (let length = 0; length < body.length; length += 1) {
      await refusedBecause(body.subarray(0, length), /ends before its last boundary/);
    }
    assert.equal((await read(cut(body, []))).length, 1);
  });

  it('are held in memory no longer than a chunk', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const head = bytes(`--${BOUNDARY}\r\n\r\n`);
    async function* long() {
      yield head;
      for (let count = 0; count < 1_000; count += 1) yield chunk;
      yield bytes(`\r\n--${BOUNDARY}--`);
    }
    const parts = new FormParts(long(), BOUNDARY);
    await parts.next();
    let size = 0;
    for await (const piece of parts.content()) {
      assert.ok(piece.length <= chunk.length);
      size += piece.length;
    }
    assert.equal(size, 1_000 * chunk.length);
  });

  it('may have headers on several lines, blanks after the boundary, and any case', async () => {
    const body = bytes(
      `--${BOUNDARY} \t\r\nCONTENT-Disposition:form-data;\r\n  filename="a"\r\n\r\nx\r\n--${BOUNDARY}--`,
    );
    const headers = { 'content-disposition': 'form-data; filename="a"' };
    assert.deepEqual(await read(cut(body, [])), [{ headers, content: bytes('x') }]);
  });

  it('are refused when they cannot be told apart for certain', async () => {
    const part = (head: string) => bytes(`--${BOUNDARY}${head}\r\n\r\nx\r\n--${BOUNDARY}--`);
    await refusedBecause(part('0\r\na: b'), /other characters/);
    await refusedBecause(part('-\r\na: b'), /other characters/);
    await refusedBecause(part('\r\nno header'), /no header/);
    await refusedBecause(part('\r\na: b\r\nA: c'), /two headers A/);
    await refusedBecause(part(`\r\na: ${'b'.repeat(9_000)}`), /headers of a part pass 8192 bytes/);
    await refusedBecause(bytes(`--${BOUNDARY}\n\nx\n--${BOUNDARY}--\n`), /ends before/);
    await refusedBecause(formOf(Array(101).fill({ headers: {}, content: bytes('') })), /more than 100 parts/);
  });

  it('have at most 64 KB besides the content that is taken, to the byte', async () => {
    const part = { headers: { a: 'b' }, content: bytes('content') };
    const besides = formOf([part], { preamble: 'p', epilogue: '' }).length - part.content.length;
    const most = BESIDES_BYTES_MAX - besides;
    for (const around of [{ epilogue: 'x'.repeat(most) }, { preamble: `p${'x'.repeat(most)}`, epilogue: '' }]) {
      const body = formOf([part], { preamble: 'p', ...around });
      for (const places of [[], [5, 40_000, body.length - 3]]) {
        assert.deepEqual(await read(cut(body, places)), [part]);
      }
      await refusedBecause(formOf([part], { preamble: 'p', ...around, epilogue: `${around.epilogue}x` }), /besides/);
    }
    const skipped = new FormParts(cut(formOf([{ ...part, content: Buffer.alloc(most + 8) }]), []), BOUNDARY);
    await skipped.next();
    await assert.rejects(skipped.next(), { code: 'INVALID_BODY' });
  });

  it('are told to be empty in whatever chunks the body arrives', async () => {
    for (const [text, isEmpty] of [
      ['', true],
      ['x', false],
      ['\r\n', false],
      [`\r\n--${BOUNDARY.slice(0, -1)}`, false],
    ] as const) {
      const part = { headers: { a: 'b' }, content: bytes(text) };
      const body = formOf([part]);
      for (const places of [[], Array.from({ length: body.length }, (_, at) => at)]) {
        const parts = new FormParts(cut(body, places), BOUNDARY);
        await parts.next();
        assert.equal(await parts.isEmpty(), isEmpty, JSON.stringify(text));
        assert.deepEqual(await contentOf(parts), part.content);
        assert.equal(await parts.next(), undefined);
      }
    }
  });
});

describe('the boundary of a form', () => {
  it('is read quoted and unquoted, and from forms only', () => {
    for (const [type, boundary] of [
      ['multipart/form-data; boundary=abc', 'abc'],
      ['Multipart/Form-Data;BOUNDARY="a b:c"', 'a b:c'],
      ['multipart/form-data; charset=utf-8; boundary=----=_Part/1?; x=y', '----=_Part/1?'],
      ['multipart/mixed; boundary=abc', undefined],
      ['multipart/form-data-x; boundary=abc', undefined],
      ['image/png', undefined],
      [undefined, undefined],
    ] as const) {
      assert.equal(boundaryOf(type), boundary, type);
    }
    for (const type of ['', '; boundary=', '; boundary=""', `; boundary=${'b'.repeat(71)}`, '; xboundary=a']) {
      assert.throws(() => boundaryOf(`multipart/form-data${type}`), { code: 'INVALID_CONTENT_TYPE' }, type);
    }
  });
});
