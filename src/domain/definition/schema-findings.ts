// Checks a publish document against its JSON Schema and turns the errors of Ajv into findings for its author. Rules
// beyond the schema are in document-rules.

import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { type IdentifierName, PATTERNS } from '../../wire/identifiers.ts';
import { KINDS } from '../schema-type-words.ts';
import type { DocumentFinding } from './findings.ts';
import { listed, pointer, shown } from './problems.ts';

/** How Ajv reads the schema: the server compiles it, the console's build does so beforehand. */
export const DOCUMENT_VALIDATION = {
  allErrors: true,
  verbose: true,
  strict: true,
  // Branches with a bare `required` or `properties` rely on the enclosing object for the rest.
  strictTypes: false,
  strictRequired: false,
} satisfies Options;

const IDENTIFIER_FORMS: ReadonlyMap<string, string> = new Map(
  (Object.keys(PATTERNS) as IdentifierName[]).map((name) => {
    const [prefix, length] = /^\^(.)\[a-z0-9\]\{(\d+)\}\$$/.exec(PATTERNS[name])?.slice(1) ?? [];
    return [PATTERNS[name], `"${prefix}" and ${length} characters of a-z and 0-9`];
  }),
);

export function schemaFindings(isValid: ValidateFunction, input: unknown): DocumentFinding[] {
  if (isValid(input)) return [];
  return (isValid.errors ?? []).filter(isUseful).map(toFinding);
}

function isUseful(error: ErrorObject): boolean {
  // `if` and the branches of `oneOf` repeat other errors; repeated items are reported one by one by document-rules.
  if (error.keyword === 'if' || error.keyword === 'uniqueItems') return false;
  // The members of something that is not an object do not matter.
  if (error.keyword === 'oneOf' && kindOf(error.data) !== KINDS.object) return false;
  return !/\/oneOf\/\d+\//.test(error.schemaPath);
}

function toFinding(error: ErrorObject): DocumentFinding {
  const path = error.instancePath;
  const { keyword, params, data } = error;
  switch (keyword) {
    case 'required':
      return { path: pointer(path, params.missingProperty), code: 'missing' };
    case 'additionalProperties': {
      const known = listed(Object.keys(error.parentSchema?.properties ?? {}));
      return { path: pointer(path, params.additionalProperty), code: 'unknownMember', params: { known } };
    }
    case 'type':
      return {
        path,
        code: 'wrongType',
        params: { expected: KINDS[params.type] ?? params.type, found: kindOf(data) },
      };
    case 'enum':
      return { path, code: 'notOneOf', params: { allowed: listed(params.allowedValues, 'or'), found: shown(data) } };
    case 'minLength':
    case 'minItems':
      return { path, code: 'empty' };
    case 'maxLength':
      return { path, code: 'tooLong', params: { limit: params.limit } };
    case 'maxItems':
      return { path, code: 'tooMany', params: { limit: params.limit, count: (data as unknown[]).length } };
    case 'minimum':
      return { path, code: 'tooSmall', params: { limit: params.limit } };
    case 'maximum':
      return { path, code: 'tooLarge', params: { limit: params.limit } };
    case 'pattern': {
      const form = IDENTIFIER_FORMS.get(params.pattern) ?? `of the form ${params.pattern}`;
      return { path, code: 'wrongForm', params: { form, found: shown(data) } };
    }
    // The schema describes these two in words meant for this message.
    case 'not':
      return { path, code: 'notHere', params: { text: described(error) } };
    case 'oneOf':
      return { path, code: 'notChosen', params: { text: described(error) } };
    default:
      return { path, code: 'unsuitable', params: { text: error.message ?? `does not satisfy ${keyword}` } };
  }
}

const described = (error: ErrorObject): string => String(error.parentSchema?.description ?? error.message);

function kindOf(data: unknown): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'an object';
  return shown(data);
}
