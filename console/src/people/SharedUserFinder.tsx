// Finds the shared user who is to use this application too.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { clientOf } from '../api/client.ts';
import { Finder } from '../values/edit/Finder.tsx';

/** More would not be read. */
const SHOWN = 20;

interface SharedUserFinderProps {
  readonly application: string;
  readonly name: string;
  readonly problem: string | undefined;
  readonly onName: (name: string) => void;
}

export function SharedUserFinder({ application, name, problem, onName }: SharedUserFinderProps) {
  const t = useTranslations('people');
  const found = useQuery({
    queryKey: [application, 'people', 'finder', name],
    queryFn: async ({ signal }) => {
      const search = name === '' ? {} : { search: name };
      return (await clientOf(application).raw.listSharedUsers({ ...search, limit: SHOWN }, { signal })).body;
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  }).data;
  const chosen = found?.find((user) => user.name === name);
  return (
    <Finder
      label={t('sharedUser')}
      problem={problem}
      text={name}
      onText={onName}
      found={(found ?? []).map((user) => ({
        ...user,
        shown: (
          <span>
            {user.name} <span className="hint">{user.email}</span>
          </span>
        ),
      }))}
      chosen={chosen?.id}
      onChoose={(user) => onName(user.name)}
      onClear={() => onName('')}
    />
  );
}
