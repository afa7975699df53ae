// Text files in pieces: recognises the encoding, and refuses bytes that are not text of that encoding.

import { open, stat } from 'node:fs/promises';
import { CommandFailure, usageFailure } from '../../failure.ts';

const HEAD_BYTES = 64 * 1024;

export interface TextFile {
  readonly chunks: AsyncIterable<string>;
  progress(): number;
  close(): Promise<void>;
}

export async function openText(file: string, given: string | undefined): Promise<TextFile> {
  const handle = await open(file);
  const { size } = await stat(file);
  const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
  await handle.read(head, 0, head.length, 0);
  const encoding = given ?? byteOrderMark(head) ?? 'utf-8';
  const decoder = decoderOf(encoding);
  let read = 0;
  async function* chunks(): AsyncGenerator<string> {
    for await (const bytes of handle.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
      yield decoded(() => decoder.decode(bytes, { stream: true }), { file, encoding, bytes, from: read });
      read += bytes.length;
    }
    yield decoded(() => decoder.decode(), { file, encoding, bytes: head, from: read });
  }
  return { chunks: chunks(), progress: () => (size === 0 ? 1 : read / size), close: () => handle.close() };
}

/** Refuses a file that is not text of that encoding to its end, before anything of it is stored. */
export async function checkText(file: string, encoding: string | undefined): Promise<void> {
  const text = await openText(file, encoding);
  try {
    for await (const _ of text.chunks);
  } finally {
    await text.close();
  }
}

/** The first characters, for guesses. */
export async function headOf(file: string, encoding: string | undefined): Promise<string> {
  const text = await openText(file, encoding);
  try {
    for await (const chunk of text.chunks) if (chunk !== '') return chunk;
    return '';
  } finally {
    await text.close();
  }
}

function byteOrderMark(head: Buffer): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw usageFailure(
      `--encoding ${encoding} is not known. Some that are: utf-8, utf-16le, shift_jis, euc-jp, windows-1252, gb18030, euc-kr.`,
    );
  }
}

interface Place {
  readonly file: string;
  readonly encoding: string;
  /** Those that were refused, and others around them. */
  readonly bytes: Buffer;
  readonly from: number;
}

function decoded(decode: () => string, { file, encoding, bytes, from }: Place): string {
  try {
    return decode();
  } catch {
    const likely = encoding === 'utf-8' ? likelyEncoding(bytes) : undefined;
    const advice =
      likely === undefined
        ? 'Name its encoding with --encoding, for example --encoding windows-1252.'
        : `It looks like ${likely}: if so, add --encoding ${likely}.`;
    throw new CommandFailure(`${file} is not ${encoding} text (after byte ${from.toLocaleString('en')}). ${advice}`);
  }
}

/**
 * Two of them stand together in every Japanese text. In Western text that is read as Shift_JIS they stand alone: an
 * accented letter makes one of itself and the next letter, or half-width Katakana.
 */
const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\u30a1-\u30fe]{2}|[\uff66-\uff9f]{4}/u;

/** For the advice only: a text may be well-formed in several encodings. */
function likelyEncoding(bytes: Buffer): string {
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
