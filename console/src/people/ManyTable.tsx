// The lines of a pasted table: who they are, what is wrong with them, and what became of them.

import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Manager } from './Managers.tsx';
import type { PastedPerson, PastedProblem } from './pasted-people.ts';
import { RIGHTS } from './rights.ts';
import type { Outcome, Outcomes } from './use-many-people.ts';

interface ManyTableProps {
  readonly manager: Manager;
  readonly people: readonly PastedPerson[];
  readonly outcomes: Outcomes;
}

export function ManyTable({ manager: { application, definition }, people, outcomes }: ManyTableProps) {
  const t = useTranslations('people');
  const { sharedUsersModeEnabled, teamsModeEnabled } = definition;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="table-scroller" tabIndex={0} aria-label={t('manyTable')}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col" className="numeric">
              {t('line')}
            </th>
            <th scope="col">{t('name')}</th>
            {!sharedUsersModeEnabled && <th scope="col">{t('email')}</th>}
            {teamsModeEnabled && <th scope="col">{t('team')}</th>}
            <th scope="col">{t('profile')}</th>
            <th scope="col">{t('rights')}</th>
            <th scope="col">{t('outcome')}</th>
          </tr>
        </thead>
        <tbody>
          {people.map(({ line, values, problems }) => (
            <tr key={line}>
              <td className="numeric">{line}</td>
              <td>{values.name}</td>
              {!sharedUsersModeEnabled && <td>{values.email}</td>}
              {teamsModeEnabled && (
                <td>
                  {values.team}
                  {values.teamLeader && <span className="mark">{t('leads')}</span>}
                </td>
              )}
              <td>{values.profile}</td>
              <td>
                <span className="marks">
                  {!values.apiAccess && <span className="mark quiet">{t('noApiAccess')}</span>}
                  {RIGHTS.filter((right) => right !== 'apiAccess' && values[right]).map((right) => (
                    <span key={right} className="mark">
                      {t(`short.${right}`)}
                    </span>
                  ))}
                </span>
              </td>
              <td>
                <Said application={application} outcome={outcomes.get(line)} problems={problems} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SaidProps {
  readonly application: string;
  readonly outcome: Outcome | undefined;
  readonly problems: readonly PastedProblem[];
}

function Said({ application, outcome, problems }: SaidProps) {
  const t = useTranslations('people');
  if (outcome === undefined) {
    if (problems.length === 0) return <span className="hint">{t('ready')}</span>;
    return (
      <span className="field-problem">
        {problems
          .map((problem) =>
            'text' in problem ? t(`pasted.${problem.kind}`, { text: problem.text }) : t(`pasted.${problem.kind}`),
          )
          .join(' ')}
      </span>
    );
  }
  if (outcome.kind === 'exists') return <span>{t('outcomes.exists')}</span>;
  if (outcome.kind === 'refused') return <span className="field-problem">{outcome.text}</span>;
  return (
    <span>
      <Link to="/$application/people/users/$user" params={{ application, user: outcome.userId }} className="done">
        {t(`outcomes.${outcome.kind}`)}
      </Link>
      {outcome.kind === 'linkFailed' && <span className="field-problem"> {outcome.text}</span>}
    </span>
  );
}
