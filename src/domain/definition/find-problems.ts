// Everything that is wrong with a publish document as far as the document alone tells. Without Node's modules: the console
// runs it too, with the validator that its build has compiled.

import type { ValidateFunction } from 'ajv/dist/2020.js';
import { DOCUMENT_RULES } from './document-rules.ts';
import { readDraft } from './draft.ts';
import type { DocumentFinding } from './findings.ts';
import { schemaFindings } from './schema-findings.ts';

export function findProblems(isValid: ValidateFunction, input: unknown): DocumentFinding[] {
  const draft = readDraft(input);
  return [...schemaFindings(isValid, input), ...DOCUMENT_RULES.flatMap((rule) => rule(draft))];
}
