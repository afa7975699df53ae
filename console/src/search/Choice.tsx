// One of a few things, chosen from a list.

import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';

interface ChoiceProps {
  readonly label: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

export function Choice({ label, choices, chosen, onChoose }: ChoiceProps) {
  return (
    <Select className="field" selectedKey={chosen} onSelectionChange={(key) => onChoose(String(key))}>
      <Label>{label}</Label>
      <Button className="button choice-button">
        <SelectValue className="choice-value" />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox className="combo-list" items={choices}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
