// The form of the identifiers in a path: the first check on the road, before anyone is asked who they are.

import { type FaultCode, fault } from '../faults.ts';
import { type IdentifierName, isIdentifier, PATTERNS } from '../wire/identifiers.ts';

const CODES = {
  applicationId: 'INVALID_APPLICATION_ID',
  collectionId: 'INVALID_COLLECTION_ID',
  recordId: 'INVALID_RECORD_ID',
  userId: 'INVALID_USER_ID',
} as const satisfies Partial<Record<IdentifierName, FaultCode>>;

type PathIdentifier = keyof typeof CODES;

const isPathIdentifier = (name: string): name is PathIdentifier => name in CODES;

export function checkIdentifiers(params: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(params)) {
    // The router takes a trailing slash for an empty parameter.
    if (text === '') throw fault('NOT_FOUND');
    if (isPathIdentifier(name) && !isIdentifier(name, text)) {
      throw fault(CODES[name], { reason: `must fit ${PATTERNS[name]}` });
    }
    // No text that the database keeps can hold it, so that nothing of such a name can exist.
    if (text.includes('\0')) throw fault('INVALID_PARAMETER', { parameter: name, reason: 'must not hold U+0000' });
  }
}
