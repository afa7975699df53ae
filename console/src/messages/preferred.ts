// Which language the person reads: their choice in this browser, else the browser's, else English.

import { remembered } from '../frame/remembered.ts';

const LANGUAGES = ['en', 'ja'] as const;

export function preferredLanguage(): (typeof LANGUAGES)[number] {
  const wanted = [remembered('language') ?? '', ...navigator.languages].map((tag) => tag.split('-')[0] ?? '');
  return wanted.flatMap((tag) => LANGUAGES.find((each) => each === tag) ?? [])[0] ?? 'en';
}
