// The view that the address names: what is saved, with what the address and this browser have over it.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { View } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { viewsQuery } from '../api/views.ts';
import { type ColumnSettings, DEFAULT_COLUMNS } from '../grid/column-settings.ts';
import { useKeptColumns } from './kept-columns.ts';
import { isKind, type Kind } from './kinds.ts';
import { isViewId, type ViewAddress } from './view-address.ts';
import {
  type AddressChanges,
  changedAddress,
  isChanged,
  overlaid,
  readViewSettings,
  settingsOf,
  type ViewSettings,
} from './view-settings.ts';

/** A step that Back should not lead to replaces the one before. */
export interface Navigation {
  readonly replace?: boolean;
}

export interface OpenView {
  /** `gone`: the address names a view that is deleted, or is not for this person. */
  readonly state: 'ready' | 'loading' | 'failed' | 'gone';
  readonly error: unknown;
  readonly retry: () => void;
  readonly kind: Kind;
  /** Undefined when the address names a kind only. */
  readonly saved: View | undefined;
  readonly isChanged: boolean;
  /** What is shown: all that is saved, and the address over it. */
  readonly address: ViewAddress;
  readonly columns: ColumnSettings;
  readonly settings: ViewSettings;
  readonly onAddress: (changes: AddressChanges, how?: Navigation) => void;
  readonly onColumns: (columns: ColumnSettings) => void;
  /** Opens a saved view, or the plain grid. */
  readonly open: (viewId: string | undefined) => void;
  readonly forgetColumns: () => void;
  /** Columns and address. */
  readonly forgetChanges: () => void;
}

/** Of a view that is not known, by what became of the question. */
const STATES = { pending: 'loading', error: 'failed', success: 'gone' } as const;

interface Place {
  readonly application: string;
  readonly collection: string;
}

export function useView({ application, collection }: Place, address: ViewAddress): OpenView {
  const navigate = useNavigate();
  const viewId = isViewId(address.view) ? address.view : undefined;
  const session = useQuery(sessionQuery(application)).data;
  const views = useQuery({ ...viewsQuery(application, collection), enabled: viewId !== undefined });
  const saved = viewId === undefined ? undefined : views.data?.find(({ id }) => id === viewId);
  const settings = saved && readViewSettings(saved.settings);
  const kept = useKeptColumns([session?.user.id ?? '', application, collection, ...(saved ? [saved.id] : [])]);

  const named = settings?.kind ?? address.view ?? 'grid';
  const kind = isKind(named) ? named : 'grid';
  const columns = kept.columns ?? settings?.columns ?? DEFAULT_COLUMNS;
  const shown = overlaid(settings, address);
  const go = (search: ViewAddress, how: Navigation = {}) =>
    void navigate({ to: '/$application/$collection', params: { application, collection }, search, ...how });
  return {
    state: viewId === undefined || saved !== undefined ? 'ready' : STATES[views.status],
    error: views.error,
    retry: () => void views.refetch(),
    kind,
    saved,
    isChanged: settings !== undefined && isChanged(settings, address, columns),
    address: shown,
    columns,
    // A kind of a later console stays what it is when the view is saved here.
    settings: settingsOf(settings?.kind ?? kind, shown, columns),
    onAddress: (changes, how) => go(changedAddress(settings, address, changes), how),
    onColumns: kept.keep,
    forgetColumns: () => kept.keep(undefined),
    open: (id) => go(id === undefined ? {} : { view: id }),
    forgetChanges: () => {
      kept.keep(undefined);
      go(viewId === undefined ? {} : { view: viewId });
    },
  };
}
