// What is wrong, in the language of the page.

import { useTranslations } from 'use-intl';
import type { DocumentFinding } from '../../../src/domain/definition/findings.ts';
import { VALUE_TYPES } from '../../../src/wire/values.ts';

export function useFindingSentence(): (finding: DocumentFinding | undefined) => string | undefined {
  const t = useTranslations('design');
  return (finding) => {
    if (finding === undefined) return undefined;
    const { code, params = {} } = finding;
    const named = Object.entries(params).map(([name, value]) => {
      const type = VALUE_TYPES.find((each) => each === value);
      return [name, type === undefined ? value : t(`types.${type}`)] as const;
    });
    return t(`finding.${code}` as 'finding.tooMany', Object.fromEntries(named) as { limit: number; count: number });
  };
}
