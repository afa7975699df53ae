// The language of the page: the person's choice, else the browser's, else English.

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { IntlProvider } from 'use-intl';
import { remember, remembered } from '../frame/remembered.ts';
import { en, type Messages } from './en.ts';
import { ja } from './ja.ts';

export const LANGUAGES = { en: { name: 'English', messages: en }, ja: { name: '日本語', messages: ja } } as const;
export type Language = keyof typeof LANGUAGES;

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages;
    Locale: Language;
  }
}

const isLanguage = (text: string): text is Language => text in LANGUAGES;

function preferred(): Language {
  const wanted = [remembered('language') ?? '', ...navigator.languages].map((tag) => tag.split('-')[0] ?? '');
  return wanted.find(isLanguage) ?? 'en';
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

export function MessagesProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose: (chosen) => {
        remember('language', chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const locale = localeOf(language);
  return (
    <LanguageContext value={choice}>
      <I18nProvider locale={locale}>
        <IntlProvider
          locale={locale as Language}
          messages={LANGUAGES[language].messages}
          timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
        >
          {children}
        </IntlProvider>
      </I18nProvider>
    </LanguageContext>
  );
}
