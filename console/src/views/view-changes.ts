// Saves, changes and deletes views. The list of views is brought up to date at once, so that the address of a new view opens.

import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type NewView, type View } from '../api/client.ts';
import { viewsQuery } from '../api/views.ts';
import { useSentence } from '../messages/problem.ts';

interface ViewChanges {
  readonly create: (view: NewView) => Promise<View>;
  readonly update: (view: View, changes: Partial<NewView>) => Promise<View>;
  readonly remove: (view: View) => Promise<void>;
  /** What went wrong, in words. */
  readonly sentence: (problem: unknown) => string;
}

export function useViewChanges(application: string, collectionId: string): ViewChanges {
  const t = useTranslations('views');
  const sentence = useSentence();
  const queries = useQueryClient();
  const { raw } = clientOf(application);
  const { queryKey } = viewsQuery(application, collectionId);

  function put(viewId: string, stored: View | undefined): void {
    queries.setQueryData(queryKey, (views: readonly View[] | undefined) => [
      ...(views ?? []).filter(({ id }) => id !== viewId),
      ...(stored === undefined ? [] : [stored]),
    ]);
    void queries.invalidateQueries({ queryKey });
  }

  return {
    create: async (view) => {
      const { body } = await raw.createView({ collectionId, body: view });
      put(body.id, body);
      return body;
    },
    update: async ({ id: viewId, name, settings }, changes) => {
      const { body } = await raw.updateView({ collectionId, viewId, body: { name, settings, ...changes } });
      put(viewId, body);
      return body;
    },
    remove: async ({ id: viewId }) => {
      try {
        await raw.deleteView({ collectionId, viewId });
      } catch (error) {
        if (!(error instanceof CartularyError && error.is('VIEW_NOT_FOUND'))) throw error;
      }
      put(viewId, undefined);
    },
    sentence: (problem) =>
      problem instanceof CartularyError && problem.is('TOO_MANY_VIEWS')
        ? t('tooMany', { maximum: problem.params.maximum })
        : sentence(problem),
  };
}
