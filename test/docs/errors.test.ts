// docs/errors.md lists the codes that there are, with their status, and explains every status.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAULTS } from '../../src/faults.ts';
import { OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { codeIn, readPage, readSource, tableOf } from '../support/markdown.ts';

const rows = tableOf('errors', 'Code', 'Status').map(([code, status, where, when, params]) => ({
  code: codeIn(code) ?? '',
  status: Number(status),
  where: where ?? '',
  when: when ?? '',
  params: params ?? '',
}));

describe('docs/errors.md', () => {
  it('lists exactly the codes of src/faults.ts, in order, with their status', () => {
    assert.deepEqual(
      rows.map(({ code, status }) => [code, status]),
      Object.entries(FAULTS).map(([code, { status }]) => [code, status]),
    );
  });

  it('says of each when it comes', () => {
    for (const { code, when } of rows) assert.ok(when.length > 10, code);
  });

  it('names the members of params, and none where there are none', () => {
    const source = readSource('src/faults.ts').replaceAll(/\s+/g, ' ');
    for (const { code, params } of rows) {
      const type = new RegExp(`${code}: row(<.*?>)?\\(\\d`).exec(source)?.[1];
      assert.equal(params !== '', type !== undefined, `${code} has params ${type}`);
      for (const [, member = ''] of (type ?? '').matchAll(/[{;] (\w+)\??:/g)) {
        assert.match(params, new RegExp(`\\b${member}\\b`), `${code} has params ${type}`);
      }
    }
  });

  it("counts to the operator's interface what the operator's commands explain, and the identifiers in its paths", () => {
    const [, sentences = ''] = /const OF_THE_OPERATOR.*?\{\n(.*?)\n\};/s.exec(readSource('src/cli/refusals.ts')) ?? [];
    const explained = [...sentences.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, code]) => code);
    const paths = OPERATOR_ROUTES.map(({ path }) => path).join();
    const malformed = [...paths.matchAll(/:(\w+Id)\b/g)].map(([, name = '']) => {
      return `INVALID_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
    });
    const codes = [...explained, ...malformed];
    assert.ok(codes.includes('SHARED_USER_NOT_FOUND') && codes.includes('INVALID_SHARED_USER_ID'));
    for (const { code, where } of rows) if (codes.includes(code)) assert.match(where, /O/, code);
  });

  it('explains every status', () => {
    const explained = tableOf('errors', 'Status', 'Meaning').map(([status]) => Number(status));
    const used = [...new Set(Object.values(FAULTS).map(({ status }) => status))].sort((a, b) => a - b);
    assert.deepEqual(explained, used);
  });

  it('is what the other pages speak of: they name no code that does not exist', () => {
    for (const page of ['interface', 'search', 'values', 'publishing', 'operating'] as const) {
      for (const [, code = ''] of readPage(page).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)) {
        const known = code in FAULTS || /^(?:CARTULARY|DATABASE|OTEL|NODE)_/.test(code);
        assert.ok(known, `docs/${page}.md names ${code}`);
      }
    }
  });
});
