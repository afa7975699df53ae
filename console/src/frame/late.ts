// Parts that are loaded after the page, and are there when somebody asks for them.

import { type ComponentType, createElement, type ElementType, lazy, useState } from 'react';

/** Until the first rows are painted, and their thumbnails asked for. Whoever is quicker waits for the part instead. */
const PAINTED_MS = 200;

const waiting: (() => Promise<unknown>)[] = [];
let begun = false;

/** A component that is loaded once the page has shown something, or earlier if it is drawn. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  const get = async () => {
    loaded = await load();
    return loaded;
  };
  if (begun) get().catch(() => undefined);
  else waiting.push(get);
  const Awaited = lazy(async () => ({ default: await get() }));
  return function Late(props: Props) {
    // What is there is drawn at once, which `lazy` never does at the first time. The same for as long as it is drawn.
    const [Part] = useState<ElementType>(() => loaded ?? Awaited);
    return createElement(Part, props);
  };
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
