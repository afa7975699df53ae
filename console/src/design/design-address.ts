// What a design's address says: which part of it, and what is chosen there.

export const PARTS = ['collections', 'diagram', 'application', 'publish'] as const;
export type Part = (typeof PARTS)[number];

export interface Chosen {
  readonly collection?: string;
  readonly column?: string;
}

export interface DesignAddress extends Chosen {
  readonly part?: Part;
}

export function readDesignAddress({ part, collection, column }: Record<string, unknown>): DesignAddress {
  const known = PARTS.find((each) => each === part);
  return {
    ...(known === undefined ? {} : { part: known }),
    ...(typeof collection === 'string' ? { collection } : {}),
    ...(typeof column === 'string' ? { column } : {}),
  };
}
