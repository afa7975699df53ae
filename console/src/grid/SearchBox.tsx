// The search box. Enter searches; what cannot be read is marked where it is.

import { useEffect, useRef, useState } from 'react';
import { Button, Input, SearchField } from 'react-aria-components';
import { useTranslations } from 'use-intl';

interface SearchBoxProps {
  readonly value: string;
  /** Of the search in the address. */
  readonly problem: { readonly message: string; readonly position: number } | undefined;
  readonly onSearch: (text: string) => void;
}

export function SearchBox({ value, problem, onSearch }: SearchBoxProps) {
  const t = useTranslations();
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  return (
    <SearchField
      className="grid-search"
      aria-label={t('common.search')}
      value={text}
      onChange={setText}
      onSubmit={(entered) => onSearch(entered.trim())}
      onClear={() => onSearch('')}
      isInvalid={problem !== undefined}
    >
      <div className="grid-search-box">
        <Input
          className="input"
          ref={input}
          placeholder={t('grid.searchPlaceholder')}
          aria-describedby={problem === undefined ? undefined : 'search-problem'}
        />
        {text !== '' && (
          <Button className="button icon grid-search-clear" aria-label={t('grid.clearSearch')}>
            ×
          </Button>
        )}
      </div>
      {problem !== undefined && (
        <p id="search-problem" role="alert" className="message wrong grid-search-problem">
          <Marked text={value} position={problem.position} />
          <br />
          {t('grid.badSearch', { message: problem.message })}
        </p>
      )}
    </SearchField>
  );
}

/** Positions count characters, as the interface does. */
function Marked({ text, position }: { readonly text: string; readonly position: number }) {
  const characters = [...text];
  const before = characters.slice(0, position).join('');
  const at = characters[position] ?? ' ';
  return (
    <code>
      {before}
      <mark>{at}</mark>
      {characters.slice(position + 1).join('')}
    </code>
  );
}

/** `/` leads to the search box, except from where it can be typed. */
function useSlash(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const typing = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [input]);
}
