// What stands in the addresses of the operator's pages.

export const APPLICATION_TABS = ['overview', 'publish', 'history', 'quotas', 'users'] as const;
export type ApplicationTab = (typeof APPLICATION_TABS)[number];

export interface ApplicationAddress {
  readonly tab?: ApplicationTab;
}

export function readApplicationAddress({ tab }: Record<string, unknown>): ApplicationAddress {
  const known = APPLICATION_TABS.find((each) => each === tab);
  return known === undefined || known === 'overview' ? {} : { tab: known };
}
