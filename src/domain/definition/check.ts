// Checks a publish document and reports all problems at once: the schema and the rules both run over the whole input,
// whatever the other finds. Checks that need the published application, such as IDs that the document does not contain,
// are left to resolve.

import { type PublishDocument, publishDocumentSchema } from '../../wire/publish-document.ts';
import { jsonValidators } from '../json-validators.ts';
import { findProblems } from './find-problems.ts';
import { worded } from './findings.ts';
import type { Problem } from './problems.ts';
import { DOCUMENT_VALIDATION } from './schema-findings.ts';

const validator = jsonValidators(DOCUMENT_VALIDATION);
const validate = validator(() => publishDocumentSchema);

/** A file that is not a publish document may have a problem every few bytes. */
export const PROBLEMS_MAX = 1_000;

export function checkDocument(input: unknown): { document: PublishDocument } | { problems: Problem[] } {
  const problems = withoutRepeats(findProblems(validate(), input).map(worded));
  if (problems.length === 0) return { document: input as PublishDocument };
  if (problems.length <= PROBLEMS_MAX) return { problems };
  const left = problems.length - PROBLEMS_MAX + 1;
  return { problems: [...problems.slice(0, PROBLEMS_MAX - 1), { path: '', reason: `has ${left} more problems` }] };
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}\n${problem.reason}`, problem])).values()];
}
