// Why a file cannot be moved, and why a row is not stored, in the words of the page.

import { useTranslations } from 'use-intl';
import { type FailureParams, MovingFailure } from '../../../src/moving/failure.ts';
import type { ProblemParams, RowProblem } from '../../../src/moving/problems.ts';
import { CartularyError, ConnectionError } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';

export function useFailureSentence(): (failure: unknown) => string {
  const t = useTranslations('moving.failures');
  const sentence = useSentence();
  return (failure) => {
    if (failure instanceof MovingFailure) return t(failure.code, wordsOf(failure.params));
    if (failure instanceof CartularyError || failure instanceof ConnectionError) return sentence(failure);
    return t('other', { text: failure instanceof Error ? failure.message : String(failure) });
  };
}

export function useProblemSentence(): (problem: RowProblem) => string {
  const t = useTranslations('moving.problems');
  return ({ code, params, at }) => {
    const said = t(code, wordsOf(params));
    return at === undefined ? said : t('inColumn', { name: at.name, problem: said });
  };
}

/** Every sentence may name every word: those that a problem does not have are empty. */
function wordsOf(params: FailureParams & ProblemParams) {
  const { file = '', text = '', cell = '', collection = '', column = '', referred = '' } = params;
  const { count = 0, expected = 0, line = 0 } = params;
  return {
    ...{ file, text, cell, collection, column, referred },
    ...{ count, expected, line },
  };
}
