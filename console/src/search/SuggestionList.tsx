// The list below the search box.

import { Button, ListBox, ListBoxItem } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { type Suggestion, type Typed, useSuggestions } from './suggestions.ts';
import { withInserted } from './typing.ts';

interface SuggestionListProps {
  /** Empty while nothing is suggested. */
  readonly list: React.RefObject<HTMLDivElement | null>;
  readonly typed: Typed;
  /** A search made before. */
  readonly onSearch: (text: string) => void;
  readonly onInsert: (next: { readonly text: string; readonly caret: number }) => void;
  /** Forgets the searches made before. */
  readonly onForget: () => void;
}

export function SuggestionList({ list, typed, onSearch, onInsert, onForget }: SuggestionListProps) {
  const t = useTranslations('search');
  const suggestions = useSuggestions(typed);
  if (suggestions.length === 0) return null;

  function choose(suggestion: Suggestion): void {
    if (suggestion.recent === true) onSearch(suggestion.insert);
    else onInsert(withInserted(typed.text, suggestion, suggestion.insert, suggestion.whole));
  }
  return (
    // Pressing here must not take the focus from the box.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus where it is
    <div ref={list} className="popover search-list" onMouseDown={(event) => event.preventDefault()}>
      <ListBox
        aria-label={t('suggestions')}
        items={suggestions}
        onAction={(key) => {
          const chosen = suggestions.find(({ id }) => id === key);
          if (chosen !== undefined) choose(chosen);
        }}
      >
        {(suggestion: Suggestion) => (
          <ListBoxItem id={suggestion.id} textValue={suggestion.label} className="menu-item search-suggestion">
            <span className="search-suggested">{suggestion.label}</span>
            <span className="hint">{suggestion.hint}</span>
          </ListBoxItem>
        )}
      </ListBox>
      {suggestions.some(({ recent }) => recent === true) && (
        <Button className="button quiet search-forget" onPress={onForget}>
          {t('forgetRecent')}
        </Button>
      )}
    </div>
  );
}
