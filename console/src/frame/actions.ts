// What the palette can do besides opening things. A page with something to do adds a function to the list below.

import type { useNavigate } from '@tanstack/react-router';
import type { useTranslations } from 'use-intl';
import type { CollectionDefinition, Session } from '../api/client.ts';
import { LANGUAGES, type Language } from '../messages/provider.tsx';
import { EXPORT_HASH } from '../moving/export-hash.ts';
import { maySeePeople } from '../people/may-see-people.ts';
import { REQUEST_HASH } from '../requests/request-hash.ts';
import { managePages } from './ManagePages.tsx';

export interface ActionContext {
  readonly application: string;
  readonly collections: readonly CollectionDefinition[];
  readonly session: Session;
  /** The collection that is looked at. */
  readonly current: string | undefined;
  readonly t: ReturnType<typeof useTranslations<never>>;
  readonly navigate: ReturnType<typeof useNavigate>;
  readonly language: Language;
  readonly chooseLanguage: (language: Language) => void;
  readonly showKeys: () => void;
  readonly leave: () => void;
}

export interface Action {
  readonly id: string;
  readonly name: string;
  readonly run: () => void;
}

type Actions = (context: ActionContext) => readonly Action[];

const newRecords: Actions = ({ application, collections, t, navigate }) =>
  collections.map(({ id, name }) => ({
    id: `new ${id}`,
    name: t('palette.newRecord', { name }),
    run: () => void navigate({ to: '/$application/$collection/new', params: { application, collection: id } }),
  }));

/** Of the collection that is looked at. */
const moving: Actions = ({ application, collections, current, t, navigate }) =>
  collections
    .filter(({ id }) => id === current)
    .flatMap(({ id, name }) => {
      const to = '/$application/$collection';
      const params = { application, collection: id };
      return [
        {
          id: 'import',
          name: t('moving.importInto', { name }),
          run: () => void navigate({ to: `${to}/import`, params }),
        },
        {
          id: 'export',
          name: t('moving.exportTitle', { name }),
          run: () => void navigate({ to, params, search: true, hash: EXPORT_HASH }),
        },
      ];
    });

const pages: Actions = ({ application, session, t, navigate }) =>
  managePages(session).map(({ id, to }) => ({
    id,
    name: t(`frame.${id}`),
    run: () => void navigate({ to, params: { application }, search: {} }),
  }));

const people: Actions = ({ application, session, t, navigate }) => [
  ...(maySeePeople(session)
    ? [
        {
          id: 'new-person',
          name: t('people.create'),
          run: () => void navigate({ to: '/$application/people/new', params: { application } }),
        },
      ]
    : []),
  {
    id: 'me',
    name: t('frame.myAccount'),
    run: () => void navigate({ to: '/$application/me', params: { application } }),
  },
];

const programs: Actions = ({ application, t, navigate }) => [
  {
    id: 'request',
    name: t('requests.show'),
    run: () => void navigate({ to: '.', search: true, hash: REQUEST_HASH }),
  },
  {
    id: 'reference',
    name: t('requests.reference'),
    run: () => void open(`/docs/${application}`, '_blank', 'noreferrer'),
  },
];

const languages: Actions = ({ language, chooseLanguage }) =>
  (Object.keys(LANGUAGES) as Language[])
    .filter((each) => each !== language)
    .map((each) => ({ id: `language ${each}`, name: LANGUAGES[each].name, run: () => chooseLanguage(each) }));

const frame: Actions = ({ t, navigate, showKeys, leave }) => [
  { id: 'keys', name: t('keys.title'), run: showKeys },
  { id: 'applications', name: t('signIn.another'), run: () => void navigate({ to: '/', search: { choose: true } }) },
  { id: 'sign-out', name: t('frame.signOut'), run: leave },
];

const ALL: readonly Actions[] = [newRecords, moving, pages, people, programs, languages, frame];

export const actionsOf: Actions = (context) => ALL.flatMap((actions) => actions(context));
