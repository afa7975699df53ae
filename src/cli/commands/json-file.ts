// Reads the JSON file that is the argument of a command; `-` is standard input.

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandFailure } from '../failure.ts';

export async function readJsonFile(file: string): Promise<unknown> {
  let content: string;
  try {
    content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new CommandFailure(`${file} is not JSON: ${(error as Error).message}`);
  }
}
