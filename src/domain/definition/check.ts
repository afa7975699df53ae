// Whether a publish document is right, with everything that is wrong told at once: the schema's part and the rules'
// part run over the same input, whatever the other finds. What only the published application can tell (which
// collection an ID means that the document does not show) is left to resolve.

import type { PublishDocument } from '../../wire/publish-document.ts';
import { DOCUMENT_RULES } from './document-rules.ts';
import { readDraft } from './draft.ts';
import type { Problem } from './problems.ts';
import { schemaProblems } from './schema-problems.ts';

/** A document that is not meant to be one could have a problem for every few bytes of it. */
export const PROBLEMS_MAX = 1_000;

export function checkDocument(input: unknown): { document: PublishDocument } | { problems: Problem[] } {
  const draft = readDraft(input);
  const problems = withoutRepeats([...schemaProblems(input), ...DOCUMENT_RULES.flatMap((rule) => rule(draft))]);
  if (problems.length === 0) return { document: input as PublishDocument };
  if (problems.length <= PROBLEMS_MAX) return { problems };
  const left = problems.length - PROBLEMS_MAX + 1;
  return { problems: [...problems.slice(0, PROBLEMS_MAX - 1), { path: '', reason: `has ${left} more problems` }] };
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path}\n${problem.reason}`, problem])).values()];
}
