// Text in pieces: recognises the encoding, and refuses bytes that are not text of that encoding.

import { MovingFailure } from '../failure.ts';

const HEAD_BYTES = 64 * 1024;

/** A file, wherever it is. */
export interface ByteSource {
  readonly name: string;
  readonly size: number;
  /** From one byte to before another. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface TextFile {
  readonly chunks: AsyncIterable<string>;
  progress(): number;
}

export async function openText(source: ByteSource, given: string | undefined): Promise<TextFile> {
  const { name: file, size } = source;
  const head = await firstBytes(source);
  const encoding = given ?? byteOrderMark(head) ?? 'utf-8';
  const decoder = decoderOf(encoding);
  let read = 0;
  async function* chunks(): AsyncGenerator<string> {
    for await (const bytes of source.read(0, size)) {
      yield decoded(() => decoder.decode(bytes, { stream: true }), { file, encoding, bytes, from: read });
      read += bytes.length;
    }
    yield decoded(() => decoder.decode(), { file, encoding, bytes: head, from: read });
  }
  return { chunks: chunks(), progress: () => (size === 0 ? 1 : read / size) };
}

async function firstBytes(source: ByteSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.read(0, Math.min(source.size, HEAD_BYTES))) pieces.push(piece);
  const head = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    head.set(piece, at);
    at += piece.length;
  }
  return head;
}

/** Refuses a file that is not text of that encoding to its end, before anything of it is stored. */
export async function checkText(source: ByteSource, encoding: string | undefined): Promise<void> {
  const { chunks } = await openText(source, encoding);
  for await (const _ of chunks);
}

/** The first characters, for guesses. */
export async function headOf(source: ByteSource, encoding: string | undefined): Promise<string> {
  const { chunks } = await openText(source, encoding);
  for await (const chunk of chunks) if (chunk !== '') return chunk;
  return '';
}

/**
 * The encoding that the beginning of a file tells: by its byte order mark, or because it is not UTF-8. Only a guess, for
 * people who see what comes of it.
 */
export async function guessEncoding(source: ByteSource): Promise<string> {
  const head = await firstBytes(source);
  const marked = byteOrderMark(head);
  if (marked !== undefined) return marked;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return 'utf-8';
  } catch {
    return likelyEncoding(head);
  }
}

function byteOrderMark(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new MovingFailure('unknownEncoding', { text: encoding });
  }
}

interface Place {
  readonly file: string;
  readonly encoding: string;
  /** Those that were refused, and others around them. */
  readonly bytes: Uint8Array;
  readonly from: number;
}

function decoded(decode: () => string, { file, encoding, bytes, from }: Place): string {
  try {
    return decode();
  } catch {
    const likely = encoding === 'utf-8' ? { referred: likelyEncoding(bytes) } : {};
    throw new MovingFailure('notText', { file, text: encoding, count: from, ...likely });
  }
}

/**
 * Two of them stand together in every Japanese text. In Western text that is read as Shift_JIS they stand alone: an
 * accented letter makes one of itself and the next letter, or half-width Katakana.
 */
const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\u30a1-\u30fe]{2}|[\uff66-\uff9f]{4}/u;

/** A text may be well-formed in several encodings. */
function likelyEncoding(bytes: Uint8Array): string {
  // The bytes may begin within a character, and a line does not.
  const lines = bytes.subarray(bytes.indexOf(10) + 1);
  for (const encoding of ['euc-jp', 'shift_jis']) {
    for (const part of [bytes, lines]) {
      try {
        const text = new TextDecoder(encoding, { fatal: true }).decode(part, { stream: true });
        if (JAPANESE.test(text)) return encoding;
      } catch {}
    }
  }
  return 'windows-1252';
}
