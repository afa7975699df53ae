// The search box: suggestions while typing, what is wrong marked where it is, and the same query as chips below.

import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Autocomplete, Button, Input, SearchField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../api/client.ts';
import { isForPage, useKey } from '../frame/keys.ts';
import { late } from '../frame/late.ts';
import { Opener } from '../frame/Opener.tsx';
import { Marks } from './Marks.tsx';
import { dropSearch, forgetSearches, keepSearch, recentSearches } from './recent.ts';
import type { ServerProblem, Told } from './told.ts';
import './search.css';

const SuggestionList = late(async () => (await import('./SuggestionList.tsx')).SuggestionList);
const AddedChip = late(async () => (await import('./Chips.tsx')).AddedChip);
const Chips = late(async () => (await import('./Chips.tsx')).Chips);
const HelpSheet = lazy(async () => ({ default: (await import('./HelpSheet.tsx')).HelpSheet }));

interface SearchBoxProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  /** Whose searches are remembered. */
  readonly userId: string;
  /** The search in the address. */
  readonly value: string;
  /** Of that search, as the server says it. */
  readonly problem: ServerProblem | undefined;
  readonly onSearch: (text: string) => void;
  /** What stands beside it, before the chips: the Tab key goes from left to right. */
  readonly children: React.ReactNode;
}

export function SearchBox({ application, collection, userId, value, problem, onSearch, children }: SearchBoxProps) {
  const t = useTranslations('search');
  const label = useTranslations('common')('search');
  const [text, setText] = useState(value);
  const [searched, setSearched] = useState(value);
  const [caret, setCaret] = useState(value.length);
  const [open, setOpen] = useState(false);
  const [help, setHelp] = useState(false);
  const [recent, setRecent] = useState<readonly string[]>([]);
  const box = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const moveTo = useRef<number>(undefined);
  useKey(
    (event) => event.key === '/' && isForPage(event),
    () => input.current?.focus(),
    { always: true },
  );
  // Another address, as by going back: its search takes the place of what was typed.
  if (searched !== value) {
    setSearched(value);
    setText(value);
    setCaret(value.length);
  }
  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });

  const refused = problem !== undefined;
  useEffect(() => {
    if (refused) dropSearch(userId, collection.id, value);
  }, [refused, userId, collection.id, value]);
  const reader = useReader();
  const told = toldBy(reader, text, collection, text === value ? problem : undefined);
  const problems = useTranslations('search.problems');
  const message = told && (told.kind === undefined ? told.message : problems(told.kind));

  function search(entered: string): void {
    const typed = entered.trim();
    const trimmed = reader?.asWritten(typed, collection) ?? typed;
    setOpen(false);
    setText(trimmed);
    setCaret(trimmed.length);
    if (reader?.isReadable(trimmed, collection) !== false) keepSearch(userId, collection.id, trimmed);
    onSearch(trimmed);
  }

  function change(entered: string): void {
    setText(entered);
    setCaret(input.current?.selectionStart ?? entered.length);
    setOpen(true);
  }

  function leave(): void {
    input.current?.blur();
    document.getElementById('grid')?.focus({ preventScroll: true });
  }

  function insert(next: { readonly text: string; readonly caret: number }): void {
    moveTo.current = next.caret;
    setText(next.text);
    setCaret(next.caret);
    input.current?.focus();
  }

  return (
    <>
      <search
        className="search"
        ref={box}
        onFocus={() => setRecent(recentSearches(userId, collection.id))}
        onBlur={({ relatedTarget, isTrusted }) => {
          // Moving in the list makes events of its own.
          if (isTrusted && !(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) setOpen(false);
        }}
        onKeyDownCapture={(event) => {
          // Enter also ends the typing of Japanese; and in the list it chooses.
          const chosen = input.current?.getAttribute('aria-activedescendant');
          const isChoosing = chosen != null && document.getElementById(chosen) !== null;
          if (event.target !== input.current || event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && !isChoosing) search(text);
          // The first Escape closes the list, the next one leaves the box; what was typed stays.
          else if (event.key === 'Escape' && list.current !== null) setOpen(false);
          else if (event.key === 'Escape') leave();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <Autocomplete inputValue={text} onInputChange={change} disableAutoFocusFirst>
          <SearchField
            className="search-field"
            aria-label={label}
            onClear={() => search('')}
            isInvalid={told !== undefined}
          >
            <Marks text={text} at={told?.at} input={input} />
            <Input
              className="input"
              ref={input}
              placeholder={t('placeholder')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-describedby={told === undefined ? undefined : 'search-problem'}
              onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
              onClick={() => setOpen(true)}
              onKeyDown={({ key }) => key === 'ArrowDown' && setOpen(true)}
            />
            {text !== '' && (
              <Button className="button icon search-clear" aria-label={t('clear')}>
                ×
              </Button>
            )}
          </SearchField>
          <div className="search-below">
            {told?.final === false && (
              <p id="search-problem" role="status" className="message wrong search-told">
                {message}
              </p>
            )}
            {open && (
              <Suspense>
                <SuggestionList
                  key={text}
                  list={list}
                  typed={{ application, collection, text, caret, recent }}
                  onSearch={search}
                  onInsert={insert}
                  onForget={() => {
                    forgetSearches(userId, collection.id);
                    setRecent([]);
                  }}
                />
              </Suspense>
            )}
          </div>
        </Autocomplete>
        <Button className="button icon search-help" aria-label={t('help')} onPress={() => setHelp(true)}>
          ?
        </Button>
      </search>
      <Opener
        opens="dialog"
        className="button search-add"
        opened={(opened) => (
          <AddedChip opened={opened} application={application} collection={collection} text={text} onChange={search} />
        )}
      >
        <span aria-hidden="true">+</span> {t('filter')}
      </Opener>
      {children}
      {/* Not before something was searched for: nothing moves while somebody begins to type. */}
      {value !== '' && (
        <Suspense>
          <Chips application={application} collection={collection} text={text} onChange={search} />
        </Suspense>
      )}
      {told?.final === true && (
        <p id="search-problem" role="alert" className="message wrong search-problem">
          {t('unreadable', { message: message ?? '' })}
        </p>
      )}
      {help && (
        <Suspense>
          <HelpSheet
            collection={collection}
            onClose={() => setHelp(false)}
            onChoose={(example) => {
              setHelp(false);
              search(example);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

type Reader = typeof import('./told.ts');

function useReader(): Reader | undefined {
  const [reader, setReader] = useState<Reader>();
  useEffect(() => {
    // Without it the server still says what is wrong.
    import('./told.ts').then(setReader, () => undefined);
  }, []);
  return reader;
}

function toldBy(
  reader: Reader | undefined,
  text: string,
  collection: CollectionDefinition,
  refused: ServerProblem | undefined,
): Told | undefined {
  if (reader !== undefined) return reader.toldOf(text, collection, refused);
  return refused && { at: refused.position, kind: undefined, message: refused.message, final: true };
}
