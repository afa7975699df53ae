// What the server refused about a person, in words, at the field where it binds.

import { useTranslations } from 'use-intl';
import { CartularyError } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';

export interface PeopleProblem {
  /** The field, if it is about one. */
  readonly field: 'name' | 'email' | 'password' | 'profile' | 'team' | undefined;
  readonly text: string;
}

const LAST_ADMIN = /without an admin/;
const PROPERTIES = ['name', 'email', 'password'] as const;

export function usePeopleProblem(): (error: unknown) => PeopleProblem {
  const t = useTranslations('people.problems');
  const sentence = useSentence();
  const whole = (text: string): PeopleProblem => ({ field: undefined, text });
  return (error) => {
    if (!(error instanceof CartularyError)) return whole(sentence(error));
    if (error.is('USER_NAME_TAKEN')) return { field: 'name', text: t('nameTaken') };
    if (error.is('UNKNOWN_SHARED_USER')) return { field: 'name', text: t('unknownShared') };
    if (error.is('ALREADY_ACTIVE')) return { field: 'name', text: t('alreadyActive') };
    if (error.is('UNKNOWN_PROFILE'))
      return { field: 'profile', text: t('unknownProfile', { name: error.params.name }) };
    if (error.is('UNKNOWN_TEAM')) return { field: 'team', text: t('unknownTeam', { name: error.params.name }) };
    if (error.is('WEAK_PASSWORD')) return { field: 'password', text: t('weak') };
    if (error.is('PASSWORD_NOT_ALLOWED')) return { field: 'password', text: t('singleSignOn') };
    if (error.is('FORBIDDEN_SELF_CHANGE')) {
      return whole(t(LAST_ADMIN.test(error.params.reason) ? 'lastAdmin' : 'oneself'));
    }
    if (error.is('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED')) return whole(t('guarded'));
    if (error.is('USER_NOT_FOUND') || error.is('SHARED_USER_NOT_FOUND')) return whole(t('gone'));
    if (error.is('FEATURE_DISABLED')) return whole(t(error.params.feature === 'mail' ? 'noMail' : 'singleSignOn'));
    if (error.is('INVALID_PROPERTY')) {
      const field = PROPERTIES.find((property) => property === error.params.property);
      if (field === 'name' || field === 'email') return { field, text: t(field) };
    }
    return whole(sentence(error));
  };
}
