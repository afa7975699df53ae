// What a saved view keeps. Other programs and other versions of the console write settings too: what cannot be read counts
// as not set, and never keeps a view from opening.

import { type ColumnSettings, DEFAULT_COLUMNS, readColumnSettings, sameColumns } from '../grid/column-settings.ts';
import type { ViewAddress } from './view-address.ts';

const TEXTS = ['search', 'sort', 'by', 'split', 'measure'] as const;
type Texts = { readonly [Member in (typeof TEXTS)[number]]?: string };

export interface ViewSettings extends Texts {
  /** As the address names it; perhaps one that only a later console knows. */
  readonly kind: string;
  readonly columns?: ColumnSettings;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export function readViewSettings(settings: Readonly<Record<string, unknown>>): ViewSettings {
  const texts = TEXTS.map((member) => [member, settings[member]]).filter(([, value]) => isText(value));
  const columns = readColumnSettings(settings.columns);
  return {
    kind: isText(settings.kind) ? settings.kind : 'grid',
    ...(Object.fromEntries(texts) as Texts),
    ...(columns === undefined ? {} : { columns }),
  };
}

/** What a view would keep of what is on the page. */
export function settingsOf(kind: string, address: ViewAddress, columns: ColumnSettings): ViewSettings {
  const texts = TEXTS.map((member) => [member, address[member]]).filter(([, value]) => isText(value));
  return {
    kind,
    ...(Object.fromEntries(texts) as Texts),
    ...(sameColumns(columns, DEFAULT_COLUMNS) ? {} : { columns }),
  };
}

/** The settings with what the address says over them. */
export function overlaid(saved: ViewSettings | undefined, address: ViewAddress): ViewAddress {
  const texts = TEXTS.map((member) => [member, address[member] ?? saved?.[member]]).filter(([, value]) =>
    isText(value),
  );
  return { ...unsaved(address), ...Object.fromEntries(texts) };
}

/** Where a calendar or a map looks is not kept with the view: it opens at today, or with all its places. */
const unsaved = ({ view, at }: AddressChanges): ViewAddress => ({
  ...(view === undefined ? {} : { view }),
  ...(at === undefined ? {} : { at }),
});

export type AddressChanges = Partial<Record<keyof ViewAddress, string | undefined>>;

/** The address after a change: of a saved view it has only what differs from what is saved. */
export function changedAddress(
  saved: ViewSettings | undefined,
  address: ViewAddress,
  changes: AddressChanges,
): ViewAddress {
  const next = { ...overlaid(saved, address), ...changes };
  const other = next.view !== address.view;
  const texts = TEXTS.map((member) => [member, next[member] ?? '', other ? '' : (saved?.[member] ?? '')])
    .filter(([, text, kept]) => text !== kept)
    .map(([member, text]) => [member, text]);
  return { ...unsaved(other ? { view: next.view } : next), ...Object.fromEntries(texts) };
}

/** Whether the page shows something else than what is saved. */
export function isChanged(saved: ViewSettings, address: ViewAddress, columns: ColumnSettings): boolean {
  const shown = overlaid(saved, address);
  return (
    TEXTS.some((member) => (shown[member] ?? '') !== (saved[member] ?? '')) ||
    !sameColumns(columns, saved.columns ?? DEFAULT_COLUMNS)
  );
}
