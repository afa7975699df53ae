// Checks a publish document against its JSON Schema and turns the errors of Ajv into sentences for its author. Rules
// beyond the schema are in document-rules.

import type { ErrorObject } from 'ajv/dist/2020.js';
import { type IdentifierName, PATTERNS } from '../../wire/identifiers.ts';
import { publishDocumentSchema } from '../../wire/publish-document.ts';
import { jsonValidators } from '../json-validators.ts';
import { KINDS } from '../schema-type-words.ts';
import { listed, type Problem, pointer, shown } from './problems.ts';

const validator = jsonValidators({
  allErrors: true,
  verbose: true,
  strict: true,
  // Branches with a bare `required` or `properties` rely on the enclosing object for the rest.
  strictTypes: false,
  strictRequired: false,
});
const validate = validator(() => publishDocumentSchema);

const IDENTIFIER_FORMS: ReadonlyMap<string, string> = new Map(
  (Object.keys(PATTERNS) as IdentifierName[]).map((name) => {
    const [prefix, length] = /^\^(.)\[a-z0-9\]\{(\d+)\}\$$/.exec(PATTERNS[name])?.slice(1) ?? [];
    return [PATTERNS[name], `"${prefix}" and ${length} characters of a-z and 0-9`];
  }),
);

export function schemaProblems(input: unknown): Problem[] {
  const isValid = validate();
  if (isValid(input)) return [];
  return (isValid.errors ?? []).filter(isUseful).map(toProblem);
}

function isUseful(error: ErrorObject): boolean {
  // `if` and the branches of `oneOf` repeat other errors; repeated items are reported one by one by document-rules.
  if (error.keyword === 'if' || error.keyword === 'uniqueItems') return false;
  // The members of something that is not an object do not matter.
  if (error.keyword === 'oneOf' && kindOf(error.data) !== KINDS.object) return false;
  return !/\/oneOf\/\d+\//.test(error.schemaPath);
}

function toProblem(error: ErrorObject): Problem {
  const path = error.instancePath;
  if (error.keyword === 'required') return { path: pointer(path, error.params.missingProperty), reason: 'is missing' };
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys(error.parentSchema?.properties ?? {});
    const reason = `is not known here; known are ${listed(known)}`;
    return { path: pointer(path, error.params.additionalProperty), reason };
  }
  return { path, reason: reasonOf(error) };
}

function reasonOf(error: ErrorObject): string {
  const { keyword, params, data } = error;
  switch (keyword) {
    case 'type':
      return `must be ${KINDS[params.type] ?? params.type}, not ${kindOf(data)}`;
    case 'enum':
      return `must be one of ${listed(params.allowedValues, 'or')}, not ${shown(data)}`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must be at most ${params.limit} characters long`;
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
      return `must have at most ${params.limit} entries, and has ${(data as unknown[]).length}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'pattern':
      return `must be ${IDENTIFIER_FORMS.get(params.pattern) ?? `of the form ${params.pattern}`}, not ${shown(data)}`;
    // The schema describes these two in words meant for this message.
    case 'not':
    case 'oneOf':
      return String(error.parentSchema?.description ?? error.message);
    default:
      return error.message ?? `does not satisfy ${keyword}`;
  }
}

function kindOf(data: unknown): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  return shown(data);
}
