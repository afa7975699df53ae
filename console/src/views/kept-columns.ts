// The arrangement of columns that is not saved in a view: kept in this browser, for the person and the view.

import { useState } from 'react';
import { forget, remember, remembered } from '../frame/remembered.ts';
import { type ColumnSettings, readColumnSettings } from '../grid/column-settings.ts';

interface KeptColumns {
  readonly columns: ColumnSettings | undefined;
  readonly keep: (columns: ColumnSettings | undefined) => void;
}

/** `place`: the person, the application, the collection, and the view if it is a saved one. */
export function useKeptColumns(place: readonly string[]): KeptColumns {
  const name = `columns.${place.join('.')}`;
  const [kept, setKept] = useState(() => ({ name, columns: read(name) }));
  if (kept.name !== name) setKept({ name, columns: read(name) });
  return {
    columns: kept.name === name ? kept.columns : read(name),
    keep: (columns) => {
      setKept({ name, columns });
      if (columns === undefined) forget(name);
      else remember(name, JSON.stringify(columns));
    },
  };
}

function read(name: string): ColumnSettings | undefined {
  try {
    return readColumnSettings(JSON.parse(remembered(name) ?? 'null'));
  } catch {
    return undefined;
  }
}
