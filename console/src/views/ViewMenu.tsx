// The menu of views: the kinds, one's own views, the shared ones, and what can be done with the one that is open.

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, View } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { viewsQuery } from '../api/views.ts';
import { late } from '../frame/late.ts';
import { Opener } from '../frame/Opener.tsx';
import { isKind } from './kinds.ts';
import type { OpenView } from './use-view.ts';
import { useViewChanges } from './view-changes.ts';
import './views.css';

const ViewChoices = late(async () => (await import('./ViewChoices.tsx')).ViewChoices);
const ViewDialog = lazy(async () => ({ default: (await import('./ViewDialog.tsx')).ViewDialog }));

interface ViewMenuProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly view: OpenView;
  /** What became of a change, for the page to say. */
  readonly onOutcome: (outcome: { readonly said: string } | { readonly problem: string }) => void;
}

const ACTIONS = ['save', 'reset', 'saveAs', 'rename', 'share', 'unshare', 'delete'] as const;
export type ViewAction = (typeof ACTIONS)[number];
const isAction = (text: string): text is ViewAction => ACTIONS.some((action) => action === text);

export function ViewMenu({ application, collection, view, onOutcome }: ViewMenuProps) {
  const t = useTranslations('views');
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<'saveAs' | 'rename' | 'delete'>();
  const session = useQuery(sessionQuery(application)).data;
  const views = useQuery({ ...viewsQuery(application, collection.id), enabled: open || view.saved !== undefined });
  const changes = useViewChanges(application, collection.id);
  const { saved } = view;
  const name = saved?.name ?? t(`kinds.${view.kind}`);

  async function store(target: View, what: Parameters<typeof changes.update>[1]): Promise<void> {
    try {
      const stored = await changes.update(target, what);
      onOutcome({ said: t('stored', { name: stored.name }) });
      if (what.settings !== undefined) view.forgetChanges();
    } catch (error) {
      onOutcome({ problem: changes.sentence(error) });
    }
  }

  function act(key: string): void {
    if (isKind(key)) {
      view.onAddress({ view: key === 'grid' ? undefined : key, by: undefined, measure: undefined });
    } else if (!isAction(key)) view.open(key);
    else if (key === 'reset') view.forgetChanges();
    else if (key === 'saveAs' || key === 'rename' || key === 'delete') setAsking(key);
    else if (saved !== undefined && key === 'save') void store(saved, { settings: { ...view.settings } });
    else if (saved !== undefined) void store(saved, { shared: key === 'share' });
  }

  const actions = saved === undefined ? (['saveAs'] as const) : actionsOf(view, saved, session ?? undefined);
  return (
    <>
      <Opener
        opens="menu"
        className="button view-button"
        aria-label={t(view.isChanged ? 'menuChanged' : 'menu', { name })}
        onOpenChange={setOpen}
        opened={(opened) => (
          <ViewChoices
            opened={opened}
            name={name}
            kind={view.kind}
            saved={saved}
            views={views.data ?? []}
            actions={actions}
            onChoose={act}
          />
        )}
      >
        <span className="view-name">{name}</span>
        {view.isChanged && <span className="view-changed">{t('changed')}</span>}
        <span aria-hidden="true">▾</span>
      </Opener>
      {asking !== undefined && (
        <Suspense>
          <ViewDialog
            asking={asking}
            collection={collection}
            view={view}
            changes={changes}
            mayShare={session?.admin === true}
            onClose={() => setAsking(undefined)}
            onSaid={(said) => onOutcome({ said })}
          />
        </Suspense>
      )}
    </>
  );
}

/** As the interface allows it: shared views are the admins' to change, and one's own can always be taken back. */
function actionsOf(
  { isChanged }: OpenView,
  saved: View,
  session: { user: { id: string }; admin: boolean } | undefined,
) {
  const admin = session?.admin === true;
  const isOwn = saved.owner.id === session?.user.id;
  const mayChange = saved.shared ? admin : true;
  const may: Record<ViewAction, boolean> = {
    save: mayChange && isChanged,
    reset: isChanged,
    saveAs: true,
    rename: mayChange,
    share: admin && !saved.shared,
    unshare: saved.shared && (admin || isOwn),
    delete: admin || isOwn,
  };
  return ACTIONS.filter((action) => may[action]);
}
