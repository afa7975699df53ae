// Cutting a value or the metadata out of the text of a record finds what parsing the text finds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalValues } from '../../src/domain/records/canonical-json.ts';
import { readRecordHead, readRecordText, recordText, valueTextIn } from '../../src/domain/records/record-text.ts';
import type { Values } from '../../src/wire/values.ts';

const IDS = ['caaaaaaa', 'cbbbbbbb', 'cccccccc'] as const;
/** Texts that look like the end of a value, or the beginning of another. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '"}',
    '}x',
    'x:',
    '\\',
    '\\"}',
    `"cbbbbbbb":{"type":"Number","value":1}`,
    ',"cbbbbbbb":{',
    '{"type":"Object"}',
    '}',
    ',"values":{',
  ),
);
const plain = fc.oneof(
  text.map((value) => ({ type: 'String', value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: 'Number', value })),
  text.map((name) => ({ type: 'User', id: 'u0000000', name })),
);
/** Keys of Objects may be spelled as the identifier of a column. */
const object = fc.dictionary(fc.constantFrom(...IDS, 'key'), plain).map((value) => ({ type: 'Object', value }));
const values = fc.dictionary(fc.constantFrom(...IDS, 'caaaaaab'), fc.oneof({ weight: 4, arbitrary: plain }, object));

describe('a part of the text', () => {
  it('is what parsing the record finds, whatever strings and keys contain', () => {
    fc.assert(
      fc.property(values, text, (given, name) => {
        const user = { id: 'u0000000', name };
        const time = '2024-01-01T00:00:00.000Z';
        const record = recordText({
          ...{ id: `r${'0'.repeat(26)}`, createdAt: time, createdBy: user, timestamp: time, hash: '0'.repeat(26) },
          ...{ updatedAt: time, updatedBy: user, valuesJson: canonicalValues(given as Values) },
        });
        const { values: parsed, ...head } = readRecordText(record);
        assert.deepEqual(readRecordHead(record), head);
        assert.deepEqual(readRecordHead(Buffer.from(record)), head);
        for (const id of IDS) {
          if (parsed[id]?.type === 'Object') continue;
          assert.equal(valueTextIn(record, id), parsed[id] && JSON.stringify(parsed[id]));
        }
      }),
    );
  });
});
