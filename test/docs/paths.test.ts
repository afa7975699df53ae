// Every file that a document or a comment names by its path exists.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(rootPath(`${folder}/`), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...filesBelow('docs', /\.md$/)];
const SOURCES = ['src', 'bench'].flatMap((folder) => filesBelow(folder, /\.(?:ts|mjs)$/));

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

  it('of links between documents lead to files', () => {
    const broken = DOCUMENTS.flatMap((document) =>
      [...readFileSync(rootPath(document), 'utf8').matchAll(/\]\((?!https?:)([\w./-]+)(?:#[\w-]+)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(new URL(target, rootPath(document))))
        .map((target) => `${document}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });
});
