// Oneself: who one is here, the language, the password, and what one has opened.

import { useQuery } from '@tanstack/react-query';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { sessionQuery } from '../api/session.ts';
import { LANGUAGES, type Language, useLanguage } from '../messages/provider.tsx';
import { BrowserNotifications } from '../notifications/BrowserNotifications.tsx';
import { RIGHTS, type Right } from '../people/rights.ts';
import { DevicesOf } from './DevicesOf.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { SessionsOf } from './SessionsOf.tsx';
import { TokensOf } from './TokensOf.tsx';
import '../record/record.css';
import '../values/values.css';
import '../people/people.css';
import './me.css';

export function MePage({ application }: { readonly application: string }) {
  const t = useTranslations('me');
  const people = useTranslations('people');
  const { language, choose } = useLanguage();
  const session = useQuery(sessionQuery(application)).data;
  if (session == null) return null;
  const { user, email } = session;
  const yours = RIGHTS.filter((right) => session[right]);
  const lacking = RIGHTS.filter((right) => !session[right]);
  return (
    <main className="record-page">
      <title>{t('title')}</title>
      <div className="record-sheet">
        <h1>{t('title')}</h1>
        <dl className="record-values">
          <div className="record-value">
            <dt>{people('name')}</dt>
            <dd>{user.name}</dd>
          </div>
          {email !== undefined && (
            <div className="record-value">
              <dt>{people('email')}</dt>
              <dd className="long">{email}</dd>
            </div>
          )}
          <div className="record-value">
            <dt>{t('userId')}</dt>
            <dd>
              <code>{user.id}</code>
            </dd>
          </div>
          <div className="record-value">
            <dt>{people('rights')}</dt>
            <dd className="own-rights">{yours.length > 0 ? <RightList rights={yours} /> : people('noApiAccess')}</dd>
          </div>
          {lacking.length > 0 && (
            <div className="record-value">
              <dt>{t('notYours')}</dt>
              <dd className="own-rights">
                <RightList rights={lacking} />
              </dd>
            </div>
          )}
        </dl>
        <p className="hint">{t('profileHint')}</p>
        <RadioGroup
          className="field"
          value={language}
          onChange={(chosen) => choose(chosen as Language)}
          orientation="horizontal"
        >
          <Label>{t('language')}</Label>
          <div className="choices">
            {(Object.keys(LANGUAGES) as Language[]).map((each) => (
              <Radio key={each} value={each} className="choice">
                <span lang={each}>{LANGUAGES[each].name}</span>
              </Radio>
            ))}
          </div>
        </RadioGroup>
        <BrowserNotifications application={application} session={session} />
        <PasswordForm application={application} userId={user.id} />
        <SessionsOf application={application} userId={user.id} own />
        <TokensOf application={application} userId={user.id} own />
        <DevicesOf application={application} userId={user.id} />
      </div>
    </main>
  );
}

/** With what each is for: its name alone explains no page that somebody has or misses. */
function RightList({ rights }: { readonly rights: readonly Right[] }) {
  const t = useTranslations('people');
  return (
    <ul>
      {rights.map((right) => (
        <li key={right}>
          {t(`right.${right}`)}
          <span className="hint">{t(`allows.${right}`)}</span>
        </li>
      ))}
    </ul>
  );
}
