// What stands in the address of a record's page: the tab, whether it is edited, and the list that it was opened from, so
// that the way back and the neighbours are those of that list.

import { readViewAddress, type ViewAddress } from '../views/view-address.ts';

export const TABS = ['values', 'referrers', 'activity'] as const;
export type Tab = (typeof TABS)[number];

export interface RecordAddress extends ViewAddress {
  readonly edit?: true;
  /** The values without it. */
  readonly tab?: Exclude<Tab, 'values'>;
}

const tabOf = (text: unknown): Exclude<Tab, 'values'> | undefined =>
  TABS.slice(1).find((tab): tab is Exclude<Tab, 'values'> => tab === text);

export function readRecordAddress(parameters: Record<string, unknown>): RecordAddress {
  const tab = tabOf(parameters.tab);
  return {
    ...readViewAddress(parameters),
    ...(parameters.edit === true ? { edit: true } : {}),
    ...(tab === undefined ? {} : { tab }),
  };
}
