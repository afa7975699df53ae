// A field in which something is found by typing: a person, or a record that is referred to.

import type { ReactNode } from 'react';
import { Button, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';

export interface Found {
  readonly id: string;
  readonly name: string;
}

interface FinderProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly problem: string | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly found: readonly (Found & { readonly shown: ReactNode })[];
  readonly chosen: string | undefined;
  readonly onChoose: (found: Found) => void;
  /** Somebody has emptied the field. */
  readonly onClear: () => void;
}

export function Finder(props: FinderProps) {
  const { label, placeholder, problem, text, onText, found, chosen, onChoose, onClear } = props;
  return (
    <ComboBox
      className="field"
      items={found}
      inputValue={text}
      onInputChange={onText}
      selectedKey={chosen ?? null}
      onSelectionChange={(key) => {
        const one = found.find(({ id }) => id === key);
        if (one !== undefined) onChoose(one);
        // Left, or closed by Escape, without a choice: words that stay would look like one, and open the list again.
        else onText('');
      }}
      menuTrigger="focus"
      isInvalid={problem !== undefined}
    >
      <Label>{label}</Label>
      <div className="combo">
        {/* Only what a person does: the control itself also empties the field, while it settles. */}
        <Input
          className="input"
          {...(placeholder === undefined ? {} : { placeholder })}
          onInput={({ currentTarget }) => currentTarget.value === '' && onClear()}
        />
        <Button className="button icon combo-open">▾</Button>
      </div>
      <FieldError className="field-problem">{problem}</FieldError>
      <Popover className="popover">
        <ListBox<(typeof found)[number]> className="combo-list">
          {({ id, name, shown }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {shown}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** What is chosen stays in the list, whatever is found. */
export const withChosen = <One extends Found>(chosen: One | undefined, found: readonly One[]): readonly One[] =>
  chosen === undefined ? found : [chosen, ...found.filter(({ id }) => id !== chosen.id)];
