// The organizations of the server, and the single sign-on of each.

import { queryOptions } from '@tanstack/react-query';
import { askOperator } from './operator.ts';

export interface SingleSignOn {
  readonly issuer: string;
  readonly clientId: string;
  readonly emailsAreVerified?: boolean;
  /** Has to be registered at the provider. */
  readonly redirectAddress: string;
}

export interface Organization {
  readonly name: string;
  readonly singleSignOn: SingleSignOn | null;
}

interface Examined {
  readonly ok: boolean;
  readonly reason: string | null;
}

export interface Examination {
  readonly description: Examined;
  readonly keys: Examined | null;
}

const PAGE = 100;

const pathOf = (name: string): string => `/organizations/${encodeURIComponent(name)}`;

export const organizationsQuery = queryOptions({
  queryKey: ['operator', 'organizations'],
  queryFn: async ({ signal }) => {
    const all: Organization[] = [];
    for (;;) {
      const path = `/organizations?skip=${all.length}&limit=${PAGE}`;
      const page = (await askOperator(path, { signal })) as Organization[];
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  },
});

export interface SignOnSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: as it is stored. */
  readonly clientSecret?: string;
  readonly emailsAreVerified: boolean;
}

export const setSingleSignOn = async (name: string, singleSignOn: SignOnSettings | null): Promise<Organization> =>
  (await askOperator(pathOf(name), { method: 'PUT', body: { singleSignOn } })) as Organization;

export const examineSingleSignOn = async (name: string): Promise<Examination | null> =>
  (
    (await askOperator(`${pathOf(name)}/singleSignOn/examination`, { method: 'POST' })) as {
      examination: Examination | null;
    }
  ).examination;
