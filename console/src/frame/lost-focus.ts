// Where the focus goes when what had it is gone, as after signing in, opening a record or saving a form. Browsers let it fall
// to the body, where a screen reader says nothing and Tab begins at the top: the heading of the page takes it instead.

import { useEffect } from 'react';

/** Dialogs, menus and editors that close give the focus back by themselves, in the next frames. */
const GIVEN_BACK_MS = 60;

export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** The focus was not taken by the person, who may well click on an empty place. */
const isGone = (element: Element): boolean => !element.isConnected || element.matches(':disabled');

export function useLostFocus(): void {
  useEffect(() => {
    let last: Element | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element) last = target;
    };
    const toHeading = () => {
      timer = undefined;
      if (last === undefined || !isFocusLost() || !isGone(last)) return;
      const heading = document.querySelector<HTMLElement>('main h1');
      // A page that is still being loaded has none yet, and what lies under a dialog takes nothing.
      if (heading === null || heading.closest('[inert], [aria-hidden="true"]') !== null) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (last === undefined || timer !== undefined || !isFocusLost() || !isGone(last)) return;
      timer = setTimeout(toHeading, GIVEN_BACK_MS);
    });
    addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      removeEventListener('focusin', onFocus);
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
