// One of a few names, from a list that opens.

import { Button, FieldError, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly placeholder: string;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly onChange: (id: string) => void;
}

export function Choice({ label, value, options, placeholder, problem, isRequired = false, onChange }: ChoiceProps) {
  return (
    <Select
      className="field"
      selectedKey={value === '' ? null : value}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      placeholder={placeholder}
      isInvalid={problem !== undefined}
      isRequired={isRequired}
      validationBehavior="aria"
      // Without options nothing would open; they may still be on their way.
      isDisabled={options.length === 0}
    >
      <Label>{label}</Label>
      <Button className="input select">
        <SelectValue className="select-value" />
        <span aria-hidden="true">▾</span>
      </Button>
      <FieldError className="field-problem">{problem}</FieldError>
      <Popover className="popover">
        <ListBox className="combo-list" items={options}>
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
