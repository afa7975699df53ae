// docs/publishing.md: its documents can be published, its tables list the members of the schema with their defaults, the
// kinds of change and the operator's routes, and nothing else.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDocument } from '../../src/domain/definition/check.ts';
import { OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { DefinitionChange } from '../../src/wire/operator.ts';
import { publishDocumentSchema } from '../../src/wire/publish-document.ts';
import { NewUser } from '../../src/wire/users.ts';
import { blocksOf, codeIn, sectionOf, tableOf, tablesOf } from '../support/markdown.ts';

interface Schema {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly required?: readonly string[];
}

const application = publishDocumentSchema as unknown as Schema;
const collection = publishDocumentSchema.properties.collections.items as unknown as Schema;
const column = publishDocumentSchema.properties.collections.items.properties.columns.items as unknown as Schema;

/** What the table should say of each member; undefined where it may say anything. */
const expected = ({ properties, required = [] }: Schema) =>
  Object.entries(properties).map(([name, { default: value }]) => {
    if (required.includes(name)) return [name, 'required'];
    return [name, value === undefined ? undefined : JSON.stringify(value)];
  });

describe('docs/publishing.md', () => {
  it('has only publish documents that are right, and marks them', () => {
    const documents = blocksOf('publishing').filter(
      ({ language, text }) => language === 'json' && Array.isArray(JSON.parse(text).collections),
    );
    assert.ok(documents.length > 0);
    for (const { text, mark, place } of documents) {
      assert.match(mark, /^publish document/, place);
      const checked = checkDocument(JSON.parse(text));
      assert.ok('document' in checked, `${place}: ${JSON.stringify(checked)}`);
    }
  });

  for (const [heading, schema] of [
    ['### Application', application],
    ['### Collection', collection],
    ['### Column', column],
  ] as const) {
    it(`lists under "${heading}" exactly the members of the schema, with their defaults`, () => {
      const [table = []] = tablesOf(sectionOf('publishing', heading), ['Member', 'Default']);
      const told = table.map(([name, value]) => [codeIn(name), value === 'required' ? value : codeIn(value)]);
      assert.deepEqual(told, expected(schema));
    });
  }

  it('lists exactly the kinds of change', () => {
    assert.deepEqual(
      tableOf('publishing', 'Kind', 'Meaning').map(([kind]) => codeIn(kind)),
      (DefinitionChange.properties.kind as unknown as { readonly enum: readonly string[] }).enum,
    );
  });

  it("lists exactly the operator's routes", () => {
    assert.deepEqual(
      tableOf('publishing', 'Operation', 'Command').map(([operation]) => codeIn(operation)),
      OPERATOR_ROUTES.map(
        ({ method, path }) => `${method} ${path.replace(/^\/operator\/v1/, '').replaceAll(/:(\w+)/g, '{$1}')}`,
      ),
    );
  });

  it('lists exactly the members of a new user', () => {
    assert.deepEqual(
      tableOf('publishing', 'Member', 'Option of `users create`').map(([name]) => codeIn(name)),
      Object.keys(NewUser.properties),
    );
  });
});
