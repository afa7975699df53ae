// How far an import or a check is, and how to hold or end it.

import { useRef } from 'react';
import { Button, Label, ProgressBar } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { ratesOf } from './rates.ts';
import type { Importing, Running } from './use-import.ts';

interface RunProgressProps {
  readonly importing: Importing;
  readonly running: Running;
}

export function RunProgress({ importing, running: { work, startedAt, paused, progress } }: RunProgressProps) {
  const t = useTranslations('moving');
  // The time in which nothing moved says nothing about the rate.
  const heldMs = useRef({ total: 0, since: undefined as number | undefined });
  const isHeld = paused || progress?.waiting !== undefined;
  const held = heldMs.current;
  if (isHeld) held.since ??= performance.now();
  else if (held.since !== undefined) {
    held.total += performance.now() - held.since;
    held.since = undefined;
  }
  const seconds = (performance.now() - startedAt - held.total) / 1000;
  const rates = progress === undefined ? undefined : ratesOf(progress, seconds);
  return (
    <section className="moving-part moving-run" aria-busy={!paused}>
      <ProgressBar
        className="moving-progress"
        value={(progress?.share ?? 0) * 100}
        isIndeterminate={progress === undefined}
      >
        {({ percentage, valueText }) => (
          <>
            <div className="moving-progress-head">
              <Label>{t(paused ? 'paused' : work === 'check' ? 'checking' : 'importing')}</Label>
              <span>{progress === undefined ? '' : valueText}</span>
            </div>
            <div className="moving-track">
              <div className="moving-fill" style={{ width: `${percentage ?? 0}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
      <p className="moving-figures">
        {progress === undefined ? (
          t('preparing')
        ) : (
          <>
            <span>{t('rows', { count: progress.rows })}</span>
            {progress.rejected > 0 && <span>{t('rejectedCount', { count: progress.rejected })}</span>}
            {rates !== undefined && !isHeld && <span>{t('rate', { rate: rates.perSecond })}</span>}
            {rates !== undefined && !isHeld && <span>{leftOf(rates.secondsLeft)}</span>}
          </>
        )}
      </p>
      <p role="status" className="message">
        {progress?.waiting === undefined ? '' : t(progress.waiting)}
      </p>
      <div className="moving-buttons">
        {work === 'import' && (
          <Button className="button" onPress={() => importing.pause(!paused)}>
            {t(paused ? 'resume' : 'pause')}
          </Button>
        )}
        <Button className="button" onPress={importing.stop}>
          {t('stop')}
        </Button>
      </div>
      {work === 'import' && <p className="hint">{t('keepOpen')}</p>}
    </section>
  );

  function leftOf(secondsLeft: number): string {
    return secondsLeft < 90
      ? t('secondsLeft', { seconds: secondsLeft })
      : t('minutesLeft', { minutes: Math.round(secondsLeft / 60) });
  }
}
