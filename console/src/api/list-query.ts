// Apart from the requests, so that pure modules can use it.

/** What decides which records are listed, and in which order. */
export interface ListQuery {
  readonly search: string;
  /** A column ID, `createdAt`, `updatedAt`, `createdBy` or `updatedBy`. */
  readonly sort: string;
  readonly descending: boolean;
}

/** As a term of the search language that stands for itself. */
export const quoted = (word: string): string => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
