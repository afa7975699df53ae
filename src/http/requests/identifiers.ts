// Checks the form of the identifiers in a path. This is the first check of a request, before its credentials.

import { type FaultCode, fault } from '../../faults.ts';
import { type IdentifierName, isIdentifier, PATTERNS } from '../../wire/identifiers.ts';

const CODES = {
  applicationId: 'INVALID_APPLICATION_ID',
  collectionId: 'INVALID_COLLECTION_ID',
  columnId: 'INVALID_COLUMN_ID',
  recordId: 'INVALID_RECORD_ID',
  attachmentId: 'INVALID_ATTACHMENT_ID',
  userId: 'INVALID_USER_ID',
  sharedUserId: 'INVALID_SHARED_USER_ID',
  viewId: 'INVALID_VIEW_ID',
} as const satisfies Record<IdentifierName, FaultCode>;

type PathIdentifier = keyof typeof CODES;

/** Parameters that are named after the role of their identifier. */
const ROLES: Readonly<Record<string, PathIdentifier>> = {
  upsertKeyColumnId: 'columnId',
  signedInTo: 'applicationId',
};

const isPathIdentifier = (name: string): name is PathIdentifier => name in CODES;

export function checkIdentifiers(params: Readonly<Record<string, string>>): void {
  for (const name in params) {
    const text = params[name]!;
    // The router takes two slashes at the end for an empty parameter.
    if (text === '') throw fault('NOT_FOUND');
    const kind = ROLES[name] ?? name;
    if (isPathIdentifier(kind)) {
      if (!isIdentifier(kind, text)) throw fault(CODES[kind], { reason: `must fit ${PATTERNS[kind]}` });
      // PostgreSQL cannot store it, so nothing of that name can exist.
    } else if (text.includes('\0')) {
      throw fault('INVALID_PARAMETER', { parameter: name, reason: 'must not hold U+0000' });
    }
  }
}
