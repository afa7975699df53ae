// Everything that is wrong, with the way to where it is.

import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { placeOf } from './problem-places.ts';
import type { Designing } from './use-design.ts';
import { useFindingSentence } from './use-finding-sentence.ts';

/** Of a file with thousands of columns each may have one. */
const SHOWN_MAX = 50;

interface ProblemListProps {
  readonly draft: string;
  readonly designing: Designing;
  readonly onFollow?: () => void;
}

export function ProblemList({ draft, designing: { design, problems }, onFollow }: ProblemListProps) {
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const shown = problems.all.slice(0, SHOWN_MAX);
  return (
    <ul className="design-problem-list">
      {shown.map((finding) => {
        const { names, ...chosen } = placeOf(finding.path, design);
        const where = names.length === 0 ? t('application') : names.map((name) => name || t('untitled')).join(' · ');
        return (
          <li key={`${finding.path} ${finding.code}`}>
            <Link
              to="/design/$draft"
              params={{ draft }}
              search={names.length === 0 && finding.path !== '/collections' ? { part: 'application' } : chosen}
              onClick={onFollow}
            >
              {where}
            </Link>
            <span>{sentence(finding)}</span>
          </li>
        );
      })}
      {problems.all.length > SHOWN_MAX && <li>… {t('problems', { count: problems.all.length - SHOWN_MAX })}</li>}
    </ul>
  );
}
