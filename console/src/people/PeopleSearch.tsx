// The search of a list of people: plain text, which searches while it is typed and stands in the address.

import { useEffect, useRef, useState } from 'react';
import { Button, Input, SearchField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { isTyping, useKey } from '../frame/keys.ts';

interface PeopleSearchProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onSearch: (text: string) => void;
}

/** Longer than between two letters of a word that is typed. */
const PAUSE_MS = 250;

export function PeopleSearch({ value, placeholder, onSearch }: PeopleSearchProps) {
  const t = useTranslations();
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useKey(
    (event) => event.key === '/' && !isTyping(event),
    () => input.current?.focus(),
  );
  // Back and forward change the address without typing.
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => latest.current(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <SearchField
      className="people-search"
      aria-label={t('common.search')}
      value={text}
      onChange={setText}
      onSubmit={(entered) => onSearch(entered.trim())}
      onClear={() => onSearch('')}
    >
      <div className="people-search-box">
        <Input className="input" ref={input} placeholder={placeholder} />
        {text !== '' && (
          <Button className="button icon people-search-clear" aria-label={t('search.clear')}>
            ×
          </Button>
        )}
      </div>
    </SearchField>
  );
}
