// The language of the page: the person's choice, else the browser's, else English.

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { IntlProvider } from 'use-intl';
import { remember, storageKey } from '../frame/remembered.ts';
import type { Messages } from './en.ts';
import { preferredLanguage } from './preferred.ts';
import { viewerZone } from './time-zone.tsx';

/** Only the sentences of the language that is used are loaded. */
export const LANGUAGES = {
  en: { name: 'English', load: async () => (await import('./en.ts')).messages },
  ja: { name: '日本語', load: async () => (await import('./ja.ts')).messages },
} as const satisfies Record<
  ReturnType<typeof preferredLanguage>,
  { readonly name: string; readonly load: () => Promise<Messages> }
>;
export type Language = keyof typeof LANGUAGES;

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages;
    Locale: Language;
  }
}

interface Choice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}
const LanguageContext = createContext<Choice>({ language: 'en', choose: () => undefined });
export const useLanguage = (): Choice => useContext(LanguageContext);

/** Dates and numbers follow the browser's region where its language is the page's: en-GB rather than en. */
const localeOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

interface Spoken {
  readonly language: Language;
  readonly messages: Messages;
}

async function load(language: Language): Promise<Spoken> {
  return { language, messages: await LANGUAGES[language].load() };
}

export const loadPreferred = (): Promise<Spoken> => load(preferredLanguage());

interface MessagesProviderProps {
  readonly first: Spoken;
  readonly children: ReactNode;
}

export function MessagesProvider({ first, children }: MessagesProviderProps) {
  const [{ language, messages }, setSpoken] = useState(first);
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose: (chosen) => {
        remember('language', chosen);
        void load(chosen).then(setSpoken);
      },
    }),
    [language],
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  // Chosen in another tab, for all of them.
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === storageKey('language')) void loadPreferred().then(setSpoken);
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  const locale = localeOf(language);
  return (
    <LanguageContext value={choice}>
      <I18nProvider locale={locale}>
        <IntlProvider locale={locale as Language} messages={messages} timeZone={viewerZone()}>
          {children}
        </IntlProvider>
      </I18nProvider>
    </LanguageContext>
  );
}
