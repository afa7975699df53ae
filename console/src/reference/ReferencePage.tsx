// The page around the viewer: whose interface it is, the way to the console, and why there is nothing to see.

import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Mark } from '../frame/Mark.tsx';
import { type Loaded, loadDocument } from './document.ts';
import { words } from './words.ts';
import './reference.css';

const Viewer = lazy(async () => ({ default: (await import('./Viewer.tsx')).Viewer }));

export function ReferencePage({ application }: { readonly application: string | undefined }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const load = useCallback(async () => setLoaded(await loadDocument(application)), [application]);
  useEffect(() => void load(), [load]);
  const missing = loaded !== undefined && loaded.state !== 'loaded';
  // Those who sign in elsewhere come back to what they wanted.
  useEffect(() => {
    const again = () => void load();
    if (missing) addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  }, [missing, load]);
  const title = loaded?.state === 'loaded' ? words.title(loaded.document.info.title) : words.general;
  const toConsole = application === undefined ? '/console' : `/console/${encodeURIComponent(application)}`;
  return (
    <div className="reference">
      <title>{title}</title>
      <header className="reference-bar">
        <Mark />
        <h1>{application === undefined ? words.general : title}</h1>
        <a href={toConsole} className="button">
          {words.toConsole}
        </a>
      </header>
      <main className="reference-page">
        {loaded?.state === 'loaded' ? (
          <>
            <p className="reference-note">{words.asOneself}</p>
            <Suspense fallback={<p className="reference-note">{words.loading}</p>}>
              <Viewer document={loaded.document} />
            </Suspense>
          </>
        ) : (
          <div className="reference-note" role="status">
            <p>{loaded === undefined ? words.loading : words[loaded.state]}</p>
            {loaded?.state === 'notSignedIn' && (
              <a href={toConsole} className="button primary">
                {words.signIn}
              </a>
            )}
            {loaded?.state === 'failed' && (
              <button type="button" className="button" onClick={() => void load()}>
                {words.again}
              </button>
            )}
          </div>
        )}
      </main>
    </div>
  );
}
