// The frame around the pages of one application: the rail with its collections, and who is signed in. Those who are not
// signed in see the sign-in page at the same address, and then what they came for.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useMatchRoute, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { onSessionEnd, type Session } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sessionQuery, setSession, signOut } from '../api/session.ts';
import { InTimeZone } from '../messages/time-zone.tsx';
import { useNotifications } from '../notifications/use-notifications.ts';
import { REQUEST_HASH } from '../requests/request-hash.ts';
import { isForPage, isShortcut, useKey } from './keys.ts';
import { rememberApplication } from './known-applications.ts';
import { late, loadLate } from './late.ts';
import { Offline } from './Offline.tsx';
import { ProblemPage } from './ProblemPage.tsx';
import { Rail } from './Rail.tsx';
import { remember } from './remembered.ts';
import { useTypedAhead } from './typed-ahead.ts';
import './frame.css';

const Palette = late(async () => (await import('./Palette.tsx')).Palette);
// Most who come are signed in.
const SignInPage = lazy(async () => ({ default: (await import('../sign-in/SignInPage.tsx')).SignInPage }));
const KeysSheet = lazy(async () => ({ default: (await import('./KeysSheet.tsx')).KeysSheet }));
const RequestSheet = lazy(async () => ({ default: (await import('../requests/RequestSheet.tsx')).RequestSheet }));

/** A list says itself that its rows are there. On pages that say nothing, what is loaded ahead waits so long. */
const LATE_MS = 1_500;

export function ApplicationFrame({ application }: { readonly application: string }) {
  const session = useQuery(sessionQuery(application));
  const [signedOut, setSignedOut] = useState(false);
  const queries = useQueryClient();
  useEffect(() => {
    if (session.data != null) remember('application', application);
  }, [application, session.data]);
  // The page asks who is there; drafts and changes that are not stored wait for that person.
  useEffect(
    () =>
      onSessionEnd((ended) => {
        if (ended !== application) return;
        setSignedOut(true);
        void queries.invalidateQueries({ queryKey: sessionQuery(application).queryKey });
      }),
    [application, queries],
  );
  if (session.isPending) return null;
  // A server that is away for a moment ends no visit: what is known stays on the page.
  if (session.data == null) {
    return (
      <Suspense>
        <SignInPage application={application} signedOut={session.data === null && signedOut} />
      </Suspense>
    );
  }
  const leave = async () => {
    await signOut(application);
    setSignedOut(true);
    setSession(queries, application, null);
  };
  return (
    <InTimeZone timeZone={session.data.timeZone}>
      <SignedIn application={application} session={session.data} onLeave={leave} />
    </InTimeZone>
  );
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
  const typedAhead = useTypedAhead(() => setFinding(false));
  const find = () => {
    if (!finding) typedAhead.begin();
    setFinding(true);
  };
  const closePalette = () => {
    typedAhead.take();
    setFinding(false);
  };
  const [showingKeys, setShowingKeys] = useState(false);
  const { pathname, hash } = useLocation();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);
  useEffect(() => {
    const timer = setTimeout(() => loadLate(), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  useNotifications(application, session);
  useKey((event) => isShortcut(event, 'k'), find, { always: true });
  useKey(
    (event) => event.key === '?' && isForPage(event),
    () => setShowingKeys(true),
    { always: true },
  );
  const known = definition.data?.name;
  useEffect(() => {
    if (known !== undefined) rememberApplication({ id: application, name: known });
  }, [application, known]);
  const name = known ?? 'Cartulary';
  const collections = definition.data?.collections ?? [];
  // One's own account needs no right to the data.
  const oneself = useMatchRoute()({ to: '/$application/me' }) !== false;
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
        onFind={find}
        onLeave={onLeave}
      />
      <div className="page" id="content">
        <Offline />
        {!session.apiAccess && !oneself && (
          <main className="empty">
            <p>{noAccess}</p>
          </main>
        )}
        {definition.isError && definition.data === undefined && !oneself && (
          <ProblemPage error={definition.error} reset={() => void definition.refetch()} />
        )}
        {(definition.data !== undefined || oneself) && (
          <Suspense>
            <Outlet />
          </Suspense>
        )}
      </div>
      {finding && (
        <Suspense fallback={<div className="shade" />}>
          <Palette
            takeTyped={typedAhead.take}
            application={application}
            collections={collections}
            session={session}
            onClose={closePalette}
            onKeys={() => setShowingKeys(true)}
            onLeave={onLeave}
          />
        </Suspense>
      )}
      {showingKeys && (
        <Suspense>
          <KeysSheet onClose={() => setShowingKeys(false)} />
        </Suspense>
      )}
      {hash === REQUEST_HASH && (
        <Suspense>
          <RequestSheet
            application={application}
            onClose={() => void navigate({ to: '.', search: true, hash: '', replace: true })}
          />
        </Suspense>
      )}
    </div>
  );
}
