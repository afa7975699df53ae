// Kinds of activity, as the log writes them.

import { ACTIVITY_KINDS, type ActivityKind } from '../../../src/wire/activity-kinds.ts';

const KNOWN: ReadonlySet<string> = new Set(ACTIVITY_KINDS);

/** A later server may tell of more. */
export const isKind = (text: string): text is ActivityKind => KNOWN.has(text);

export const kindOf = ({ type, subType }: { readonly type: string; readonly subType: string }): string =>
  `${type}.${subType}`;
