// What is on its way, what was not stored and what was just done, at the bottom of the grid and for screen readers.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CellEdits, Counts, EditState } from './cell-edits.ts';

interface EditStatusProps {
  readonly edits: CellEdits;
  readonly counts: Counts;
  /** What was just done, or is being done. */
  readonly said: string | undefined;
  readonly onShow: (state: EditState) => void;
  /** Reads the list again; undefined while its order is up to date. */
  readonly onRefresh: (() => void) | undefined;
}

export function EditStatus({ edits, counts, said, onShow, onRefresh }: EditStatusProps) {
  const t = useTranslations();
  const { storing, unsent, refused, conflict, done, notUndone } = counts;
  const progress =
    done > 0 ? t('editing.storingOf', { done, all: done + storing }) : t('editing.storing', { count: storing });
  const quiet = notUndone > 0 ? t('editing.notUndone', { count: notUndone }) : storing > 0 ? progress : said;
  return (
    <div className="grid-status">
      <div role="status" className={`grid-status-line ${storing > 0 && notUndone === 0 ? 'later' : ''}`}>
        {quiet}
      </div>
      {onRefresh !== undefined && storing === 0 && (
        <div className="grid-status-line held">
          {t('editing.held')}
          <Button className="button quiet" onPress={onRefresh}>
            {t('editing.refresh')}
          </Button>
        </div>
      )}
      {unsent > 0 && (
        <div role="alert" className="grid-status-line wrong">
          {t('editing.unsent', { count: unsent })}
          <Button className="button quiet" onPress={() => edits.retry()}>
            {t('common.retry')}
          </Button>
          <Button className="button quiet" onPress={() => edits.discardAll('unsent')}>
            {t('editing.discard')}
          </Button>
        </div>
      )}
      {conflict > 0 && (
        <div role="alert" className="grid-status-line wrong">
          {t('editing.conflicts', { count: conflict })}
          <Button className="button quiet" onPress={() => onShow('conflict')}>
            {t('editing.showNext')}
          </Button>
        </div>
      )}
      {refused > 0 && (
        <div role="alert" className="grid-status-line wrong">
          {t('editing.refused', { count: refused })}
          <Button className="button quiet" onPress={() => onShow('refused')}>
            {t('editing.showNext')}
          </Button>
          <Button className="button quiet" onPress={() => edits.discardAll('refused')}>
            {t('editing.discard')}
          </Button>
        </div>
      )}
    </div>
  );
}
