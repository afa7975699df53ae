// @ts-check
// Puts results into the documentation, between markers that name the command, so that no figure is typed by hand.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';

const END = '<!-- end of the tables -->';

/**
 * @param {string} document in docs
 * @param {string} command `bench -- neighbours`, for example
 * @param {string} text
 */
export function writeTables(document, command, text) {
  const file = join(ROOT, 'docs', document);
  const marker = `<!-- tables of npm run ${command} --write -->`;
  const before = readFileSync(file, 'utf8');
  const begin = before.indexOf(marker);
  const end = before.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Failure(`docs/${document} has no place for the tables of ${command}.`);
  writeFileSync(file, `${before.slice(0, begin + marker.length)}\n\n${text}\n\n${before.slice(end)}`);
}
