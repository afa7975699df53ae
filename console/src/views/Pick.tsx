// A choice among a few things, such as the column that a view is arranged by.

import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import './kinds.css';

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly onPick: (id: string) => void;
}

export function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <Select className="pick" value={value} onChange={(id) => id !== null && onPick(String(id))}>
      <Label className="pick-label">{label}</Label>
      <Button className="button pick-button">
        <SelectValue className="pick-value" />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover pick-popover">
        <ListBox className="pick-list" items={options}>
          {({ id, name }) => (
            <ListBoxItem id={id} className="menu-item" textValue={name}>
              <span className="pick-name">{name}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
