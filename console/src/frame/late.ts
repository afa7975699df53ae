// Parts that are loaded after the page, and are there when somebody asks for them.

import { type ComponentType, createElement, type ElementType, lazy, useState } from 'react';

/** Until the first rows are painted, and their thumbnails asked for. Whoever is quicker waits for the part instead. */
const PAINTED_MS = 200;

const AGAIN_MS = 1_000;

const waiting: (() => Promise<unknown>)[] = [];
let begun = false;

/** A component that is loaded once the page has shown something, or earlier if it is drawn. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  const get = async () => {
    loaded = await load();
    return loaded;
  };
  if (begun) whenThere(get).catch(() => undefined);
  else waiting.push(get);
  const Awaited = lazy(async () => ({ default: await whenThere(get) }));
  return function Late(props: Props) {
    // What is there is drawn at once, which `lazy` never does at the first time. The same for as long as it is drawn.
    const [Part] = useState<ElementType>(() => loaded ?? Awaited);
    return createElement(Part, props);
  };
}

/**
 * Waits while the server is away. A file that was asked for in vain would fail for as long as the page is open: browsers
 * ask for a module once.
 */
async function whenThere<Part>(get: () => Promise<Part>): Promise<Part> {
  while (!(await isServerThere())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  return get();
}

let asked: Promise<boolean> | undefined;

/** Asked once for all that wait. */
function isServerThere(): Promise<boolean> {
  asked ??= fetch('/console', { method: 'HEAD', cache: 'no-store' })
    .then(({ status }) => status < 500)
    .catch(() => false)
    .finally(() => {
      asked = undefined;
    });
  return asked;
}

/** Called when the page has something to show, as often as it likes; returns what takes it back. */
export function loadLate(more?: () => Promise<void>): () => void {
  const timer = setTimeout(() => {
    begun = true;
    // A part that is missing is asked for again when it is drawn, and its failure told there.
    for (const load of [...waiting.splice(0), ...(more === undefined ? [] : [more])])
      whenThere(load).catch(() => undefined);
  }, PAINTED_MS);
  return () => clearTimeout(timer);
}
