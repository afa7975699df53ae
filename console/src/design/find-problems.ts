// What is wrong with a design by the server's own rules, found here while people type.

import validate from 'virtual:document-validator';
import { findProblems } from '../../../src/domain/definition/find-problems.ts';
import type { DocumentFinding } from '../../../src/domain/definition/findings.ts';
import { schemaFindings } from '../../../src/domain/definition/schema-findings.ts';

export const findingsOf = (document: unknown): DocumentFinding[] => findProblems(validate, document);

/** What keeps a file from being opened as a design: the rest is shown and mended there. */
export const unreadableOf = (document: unknown): DocumentFinding[] => schemaFindings(validate, document);
