// Whether the window is as narrow as a phone, at the width where the style sheets change.

import { useSyncExternalStore } from 'react';

const query = matchMedia('(width <= 720px)');

function subscribe(onChange: () => void): () => void {
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
