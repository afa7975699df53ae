// Every file that a document or a comment names by its path exists, every link leads to a heading, and the index knows
// the words that people search for.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(rootPath(`${folder}/`), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...filesBelow('docs', /\.md$/)];
const SOURCES = ['src', 'bench', 'torture'].flatMap((folder) => filesBelow(folder, /\.(?:ts|mjs)$/));

/** Documents name sources from the root, from src/ or, in the page about measuring, from bench/. */
const exists = (path: string): boolean =>
  existsSync(rootPath(path)) || existsSync(rootPath(`src/${path}`)) || existsSync(rootPath(`bench/${path}`));

describe('paths in documents and comments', () => {
  it('lead to files that exist', () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...readFileSync(rootPath(document), 'utf8').matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|sql|md))`/g)]
        .map(([, path = '']) => path)
        .filter((path) => !exists(path))
        .map((path) => `${document}: ${path}`),
    );
    assert.deepEqual(broken, []);
  });

  it('of documents in the comments of the sources lead to documents', () => {
    const broken = SOURCES.flatMap((source) =>
      [...readFileSync(rootPath(source), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .map(([path]) => path)
        .filter((path) => !existsSync(rootPath(path)))
        .map((path) => `${source}: ${path}`),
    );
    assert.deepEqual(broken, []);
  });

  it('of links between documents lead to files, and to headings in them', () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...readFileSync(rootPath(document), 'utf8').matchAll(/\]\((?!https?:)([\w./-]*)(?:#([\w-]+))?\)/g)]
        .filter(([, target = '', anchor]) => !leadsSomewhere(new URL(target || '#', rootPath(document)), anchor))
        .map(([link]) => `${document}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });
});

function leadsSomewhere(target: URL, anchor: string | undefined): boolean {
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor);
}

/** As GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ''] of headings) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}

describe('the prose of documents', () => {
  // The bench writes into that page.
  const written = DOCUMENTS.filter((document) => document !== 'docs/performance.md');

  it('has no line of more than 120 characters', () => {
    const long = written.flatMap((document) =>
      readFileSync(rootPath(document), 'utf8')
        .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
        .split('\n')
        .flatMap((line, index) => (line.length > 120 && !line.startsWith('|') ? [`${document}:${index + 1}`] : [])),
    );
    assert.deepEqual(long, []);
  });
});

describe('docs/README.md', () => {
  const SOUGHT =
    'pagination, rate limit, CORS, idempotent, restore, CSV, webhook, schema, backup, upgrade, SSO, Docker, TLS, OpenAPI';

  it('finds a page by the words that people search for', () => {
    const index = readFileSync(rootPath('docs/README.md'), 'utf8');
    const rows = [...index.matchAll(/^\| ([^|]+) \| (.*\]\(.*) \|$/gm)].map(([, words = '']) => words.split(', '));
    for (const word of SOUGHT.split(', ')) assert.ok(rows.flat().includes(word), word);
  });
});
