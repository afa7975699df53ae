// A publish document as it comes from a file: whether it is one, and which application it means.

import type { ApplicationSummary } from '../../api/operated-shapes.ts';

/** The server takes no longer one. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

export type ReadDocument =
  | { readonly document: Readonly<Record<string, unknown>> }
  | { readonly problem: 'tooLong' | 'notJson' | 'notDocument'; readonly detail?: string };

export function readDocument(text: string): ReadDocument {
  if (new TextEncoder().encode(text).length > DOCUMENT_BYTES_MAX) return { problem: 'tooLong' };
  let read: unknown;
  try {
    // Editors on Windows put a mark at the beginning.
    read = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { problem: 'notJson', detail: (error as Error).message };
  }
  if (typeof read !== 'object' || read === null || !('collections' in read)) return { problem: 'notDocument' };
  return { document: read as Readonly<Record<string, unknown>> };
}

export type Meant =
  | { readonly kind: 'this' | 'new' }
  /** It changes an application that exists. */
  | { readonly kind: 'existing'; readonly application: ApplicationSummary }
  /** It has no identifier, but the name of one that exists. */
  | { readonly kind: 'sameName'; readonly application: ApplicationSummary }
  /** It was dropped on the page of another application. */
  | { readonly kind: 'other'; readonly id: string };

/** `here`: the application on whose page the document was dropped. */
export function meantBy(
  document: Readonly<Record<string, unknown>>,
  applications: readonly ApplicationSummary[],
  here: string | undefined,
): Meant {
  const { id, name } = document;
  if (here !== undefined) return id === undefined || id === here ? { kind: 'this' } : { kind: 'other', id: String(id) };
  const application = applications.find((each) => (id === undefined ? each.name === name : each.id === id));
  if (application === undefined) return { kind: 'new' };
  return { kind: id === undefined ? 'sameName' : 'existing', application };
}
