// The frame around the pages of one application: the rail with its collections, and who is signed in. Those who are not
// signed in see the sign-in page at the same address, and then what they came for.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Session } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sessionQuery, setSession, signOut } from '../api/session.ts';
import { SignInPage } from '../sign-in/SignInPage.tsx';
import { Offline } from './Offline.tsx';
import { ProblemPage } from './ProblemPage.tsx';
import { Rail } from './Rail.tsx';
import { remember } from './remembered.ts';
import './frame.css';

const loadPalette = () => import('./Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

export function ApplicationFrame({ application }: { readonly application: string }) {
  const session = useQuery(sessionQuery(application));
  const [signedOut, setSignedOut] = useState(false);
  const queries = useQueryClient();
  useEffect(() => {
    if (session.data != null) remember('application', application);
  }, [application, session.data]);
  if (session.isPending) return null;
  // A server that is away for a moment ends no visit: what is known stays on the page.
  if (session.data === undefined) return <SignInPage application={application} signedOut={false} />;
  if (session.data === null) return <SignInPage application={application} signedOut={signedOut} />;
  const leave = async () => {
    await signOut(application);
    setSignedOut(true);
    setSession(queries, application, null);
  };
  return <SignedIn application={application} session={session.data} onLeave={leave} />;
}

interface SignedInProps {
  readonly application: string;
  readonly session: Session;
  readonly onLeave: () => Promise<void>;
}

function SignedIn({ application, session, onLeave }: SignedInProps) {
  const t = useTranslations('frame');
  const noAccess = useTranslations('signIn')('noAccess');
  const definition = useQuery({ ...definitionQuery(application), enabled: session.apiAccess });
  const [menuOpen, setMenuOpen] = useState(false);
  const [finding, setFinding] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);
  // After the page itself, so that it is there when somebody asks for it.
  useEffect(() => void loadPalette(), []);
  useShortcut('k', () => setFinding(true));
  const name = definition.data?.name ?? 'Cartulary';
  const collections = definition.data?.collections ?? [];
  return (
    <div className="frame">
      <a href="#content" className="skip-link button">
        {t('skip')}
      </a>
      <header className="top-bar">
        <Button
          className="button icon"
          aria-expanded={menuOpen}
          aria-label={t(menuOpen ? 'closeMenu' : 'openMenu')}
          onPress={() => setMenuOpen(!menuOpen)}
        >
          ☰
        </Button>
        <span>{name}</span>
      </header>
      <Rail
        application={application}
        name={name}
        collections={collections}
        session={session}
        open={menuOpen}
        onFind={() => setFinding(true)}
        onLeave={onLeave}
      />
      <div className="page" id="content">
        <Offline />
        {!session.apiAccess && (
          <main className="empty">
            <p>{noAccess}</p>
          </main>
        )}
        {definition.isError && definition.data === undefined && (
          <ProblemPage error={definition.error} reset={() => void definition.refetch()} />
        )}
        {definition.data !== undefined && (
          <Suspense>
            <Outlet />
          </Suspense>
        )}
      </div>
      {finding && (
        <Suspense>
          <Palette
            application={application}
            collections={collections}
            isOpen={finding}
            onOpenChange={setFinding}
            onLeave={onLeave}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Ctrl or ⌘ with a letter, from anywhere on the page. */
function useShortcut(letter: string, action: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== letter) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
