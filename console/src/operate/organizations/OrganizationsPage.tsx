// The organizations of the server, each with its applications and its single sign-on.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { ApplicationSummary } from '../../api/operated-shapes.ts';
import { applicationsQuery } from '../../api/operator.ts';
import { type Organization, organizationsQuery } from '../../api/organizations.ts';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { ExaminationButton } from './ExaminationButton.tsx';
import { SignOnDialog } from './SignOnDialog.tsx';
import './organizations.css';

export function OrganizationsPage() {
  const t = useTranslations('organizations');
  const organizations = useQuery(organizationsQuery);
  const applications = useQuery(applicationsQuery).data ?? [];
  if (organizations.data === undefined) {
    if (organizations.isPending) return <main aria-busy="true" className="operate-page" />;
    return <ProblemPage error={organizations.error} reset={() => void organizations.refetch()} />;
  }
  return (
    <main className="operate-page scrolled">
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('title')}</h1>
      </div>
      {organizations.data.length === 0 && <p className="empty">{t('none')}</p>}
      {organizations.data.map((organization) => (
        <One
          key={organization.name}
          organization={organization}
          applications={applications.filter((each) => each.organization === organization.name)}
        />
      ))}
    </main>
  );
}

interface OneProps {
  readonly organization: Organization;
  readonly applications: readonly ApplicationSummary[];
}

function One({ organization, applications }: OneProps) {
  const t = useTranslations('organizations');
  const { name, singleSignOn } = organization;
  return (
    <section className="organization" aria-label={name}>
      <h2>{name}</h2>
      <dl className="operate-facts">
        <dt>{t('applications')}</dt>
        <dd>
          {applications.length === 0 && '–'}
          {applications.map(({ id, name: title }) => (
            <Link
              key={id}
              className="organization-application"
              to="/operate/applications/$application"
              params={{ application: id }}
            >
              {title}
            </Link>
          ))}
        </dd>
        <dt>{t('singleSignOn')}</dt>
        <dd>{singleSignOn === null ? t('off') : singleSignOn.issuer}</dd>
        {singleSignOn !== null && (
          <>
            <dt>{t('clientId')}</dt>
            <dd>{singleSignOn.clientId}</dd>
            <dt>{t('redirectAddress')}</dt>
            <dd>
              <code>{singleSignOn.redirectAddress}</code>
            </dd>
          </>
        )}
      </dl>
      <div className="dialog-actions">
        <SignOnDialog organization={organization} />
        {singleSignOn !== null && <ExaminationButton organization={name} />}
      </div>
    </section>
  );
}
