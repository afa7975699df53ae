// The profiles or the teams, and how many users each has.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { type GroupKind, groupsQuery } from '../api/people.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ProblemPage } from '../frame/ProblemPage.tsx';
import { type Manager, Managers } from './Managers.tsx';

interface GroupsTabProps {
  readonly application: string;
  readonly kind: GroupKind;
}

export function GroupsTab({ application, kind }: GroupsTabProps) {
  return (
    <Managers application={application}>
      {(manager) =>
        kind === 'teams' && !manager.definition.teamsModeEnabled ? (
          <NotFound />
        ) : (
          <Groups manager={manager} kind={kind} />
        )
      }
    </Managers>
  );
}

function Groups({ manager: { application }, kind }: { readonly manager: Manager; readonly kind: GroupKind }) {
  const t = useTranslations('people');
  const format = useFormatter();
  const groups = useQuery(groupsQuery(application, kind));
  if (groups.isPending) return null;
  if (groups.data === undefined) return <ProblemPage error={groups.error} reset={() => void groups.refetch()} />;
  return (
    <div className="groups">
      <p className="hint">{t(`${kind}Hint`)}</p>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col" className="numeric">
              {t('users')}
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.data.map(({ name, users, removed }) => (
            <tr key={name}>
              <td>
                <Link to="/$application/people" params={{ application }} search={{ search: name }}>
                  {name}
                </Link>
                {removed === true && <span className="mark quiet">{t('removed')}</span>}
              </td>
              <td className="numeric">{format.number(users)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
