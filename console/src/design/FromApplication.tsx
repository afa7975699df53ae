// A design from the present definition of an application, which the operator's interface gives.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { applicationsQuery } from '../api/operator.ts';
import { useSentence } from '../messages/problem.ts';
import { useOperatorEntry } from '../operate/operator-entry.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Begin } from './drafts.ts';
import { publishedDraft } from './published-draft.ts';

export function FromApplication({ onBegin }: { readonly onBegin: Begin }) {
  const t = useTranslations('design');
  const sentence = useSentence();
  const access = useOperatorEntry();
  const applications = useQuery({ ...applicationsQuery, enabled: access !== undefined && access !== null });
  const [picked, setPicked] = useState<string>();
  const [problem, setProblem] = useState<string>();
  if (access === null) {
    return (
      <p>
        {t('presentKey')} <Link to="/operate">{t('presentEnter')}</Link>
      </p>
    );
  }
  if (applications.isError) return <p role="alert">{sentence(applications.error)}</p>;
  const all = applications.data ?? [];
  if (all.length === 0) return applications.isPending ? null : <p>{t('presentNone')}</p>;
  const chosen = all.find(({ id }) => id === picked) ?? all[0]!;
  const open = async () => {
    setProblem(undefined);
    try {
      onBegin(await publishedDraft(chosen));
    } catch (error) {
      setProblem(sentence(error));
    }
  };
  return (
    <div className="design-present">
      <Choice
        isInline
        label={t('presentPick')}
        value={chosen.id}
        options={all.map(({ id, name }) => ({ id, name }))}
        onChange={setPicked}
      />
      <Button className="button" onPress={() => void open()}>
        {t('presentOpen')}
      </Button>
      <p role="alert" className="message wrong">
        {problem}
      </p>
    </div>
  );
}
