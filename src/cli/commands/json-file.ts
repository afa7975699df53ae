// Reads the JSON file that is the argument of a command; `-` is standard input.

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CommandFailure } from '../failure.ts';

export async function readJsonFile(file: string): Promise<unknown> {
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(textOf(file, bytes));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} is not JSON: ${(error as Error).message}`);
  }
}

/** Editors and shells of Windows write byte order marks, and some of them UTF-16. Other bytes would become wrong names. */
function textOf(file: string, bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${file} is not UTF-8 text, as JSON is. Save it as UTF-8.`);
  }
}
