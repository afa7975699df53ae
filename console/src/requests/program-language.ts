// The language that programs are written in, which the browser remembers.

import { useState } from 'react';
import { remember, remembered } from '../frame/remembered.ts';

export const PROGRAM_LANGUAGES = ['curl', 'javascript', 'client', 'python'] as const;
type ProgramLanguage = (typeof PROGRAM_LANGUAGES)[number];

export function useProgramLanguage(): readonly [ProgramLanguage, (language: ProgramLanguage) => void] {
  const [language, setLanguage] = useState(
    () => PROGRAM_LANGUAGES.find((id) => id === remembered('program')) ?? 'curl',
  );
  const choose = (next: ProgramLanguage) => {
    remember('program', next);
    setLanguage(next);
  };
  return [language, choose];
}
