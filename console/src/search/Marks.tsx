// A line below the place in a field where something is wrong. Fields have text only, so the same text lies behind it.

import { type RefObject, useEffect, useRef } from 'react';

interface MarksProps {
  readonly text: string;
  /** Undefined where nothing is wrong. */
  readonly at: number | undefined;
  readonly input: RefObject<HTMLInputElement | null>;
}

export function Marks({ text, at, input }: MarksProps) {
  const marks = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const field = input.current;
    if (field === null || at === undefined) return;
    const follow = () => {
      if (marks.current !== null) marks.current.scrollLeft = field.scrollLeft;
    };
    follow();
    field.addEventListener('scroll', follow);
    return () => field.removeEventListener('scroll', follow);
  });
  if (at === undefined) return null;
  // The rest of the word: a single letter is easily overlooked. Nothing, where something is missing at the end.
  const [wrong = ''] = /^(?:[\s()":=!<>]|[^\s()":=!<>]+)/.exec(text.slice(at)) ?? [];
  return (
    <div className="search-marks" aria-hidden="true" ref={marks}>
      {text.slice(0, at)}
      <mark>{wrong === '' ? '\u2003' : wrong}</mark>
      {text.slice(at + wrong.length)}
    </div>
  );
}
