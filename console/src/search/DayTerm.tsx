// When something is: a span by its name, a day, or all days between two.

import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Choice } from '../values/edit/Choice.tsx';
import { TextEditor } from '../values/edit/Field.tsx';
import type { ChipTerm, Relation } from './chips.ts';
import { useSpanName, useSpans } from './names.ts';
import { offeredSpans, type SpanTerm, spanOf } from './spans.ts';

const OTHERS = ['certainDay', 'between', 'asWritten'] as const;
type Other = (typeof OTHERS)[number];

interface DayTermProps {
  readonly relation: Relation;
  readonly term: ChipTerm;
  readonly onTerm: (term: ChipTerm) => void;
}

const plain = (term: SpanTerm): ChipTerm => ({ ...term, quoted: false });
const isDay = (text: string): boolean => text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text);

function otherOf({ text, until }: SpanTerm): Other {
  if (until !== undefined) return isDay(text) && isDay(until) ? 'between' : 'asWritten';
  return isDay(text) ? 'certainDay' : 'asWritten';
}

export function DayTerm({ relation, term, onTerm }: DayTermProps) {
  const t = useTranslations('search');
  const spanName = useSpanName();
  const isWithin = relation === '=';
  const all = useSpans();
  const spans = offeredSpans(all, isWithin);
  const [kind, setKind] = useState<string>(() => spanOf(spans, term)?.name ?? otherOf(term));
  const span = spans.find(({ name }) => name === kind);
  const { text, until } = term;

  function choose(chosen: string): void {
    setKind(chosen);
    const named = spans.find(({ name }) => name === chosen);
    if (named !== undefined) onTerm(plain({ text: named.text, ...(named.until && { until: named.until }) }));
    else if (chosen === 'between') onTerm(plain({ text: '', until: '' }));
    else if (chosen === 'certainDay') onTerm(plain({ text: '' }));
  }
  return (
    <>
      <Choice
        label={t('when')}
        options={[
          ...spans.map(({ name }) => ({ id: name, name: spanName(name) })),
          ...OTHERS.filter((id) => isWithin || id !== 'between').map((id) => ({ id, name: t(id) })),
        ]}
        value={kind}
        onChange={choose}
      />
      {span?.isFixed === true && (
        <p className="hint">{t('fixedDays', { days: [span.text, span.until].filter(Boolean).join(' – ') })}</p>
      )}
      {span === undefined && (
        <>
          <DayField
            kind={kind === 'asWritten' ? 'lines' : 'date'}
            label={t(until === undefined ? 'day' : 'firstDay')}
            text={text}
            onText={(first) => onTerm(plain({ ...term, text: first }))}
          />
          {until !== undefined && (
            <DayField
              kind={kind === 'asWritten' ? 'lines' : 'date'}
              label={t('lastDay')}
              text={until}
              onText={(last) => onTerm(plain({ ...term, until: last }))}
            />
          )}
        </>
      )}
    </>
  );
}

interface DayFieldProps {
  readonly kind: 'lines' | 'date';
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

const DayField = (props: DayFieldProps) => <TextEditor {...props} problem={undefined} />;
