// Parts that are loaded after the page, and are there when somebody asks for them.

import { type ComponentType, lazy } from 'react';

/** Until the first rows are painted, and their thumbnails asked for. Whoever is quicker waits for the part instead. */
const PAINTED_MS = 200;

const waiting: (() => Promise<unknown>)[] = [];
let begun = false;

/** A component that is loaded once the page has shown something, or earlier if it is drawn. */
export function late<Props>(load: () => Promise<ComponentType<Props>>) {
  if (begun) void load();
  else waiting.push(load);
  return lazy(async () => ({ default: await load() }));
}

/** Called when the page has something to show, as often as it likes; returns what takes it back. */
export function loadLate(more?: () => Promise<void>): () => void {
  const timer = setTimeout(() => {
    begun = true;
    // A part that cannot be loaded is asked for again when it is drawn.
    for (const load of waiting.splice(0)) load().catch(() => undefined);
    void more?.();
  }, PAINTED_MS);
  return () => clearTimeout(timer);
}
