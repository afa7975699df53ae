// One of a few things, from a list that opens: a field of a form, or in line with its label in a bar.

import { Button, FieldError, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import './choice.css';

interface ChoiceProps {
  readonly label: string;
  /** Empty while nothing is chosen, unless an option has this ID. */
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly placeholder?: string;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  readonly isInline?: boolean;
  readonly onChange: (id: string) => void;
}

export function Choice(props: ChoiceProps) {
  const { label, value, options, placeholder = '', problem, isRequired = false, isInline = false, onChange } = props;
  return (
    <Select
      className={isInline ? 'pick' : 'field'}
      value={options.some(({ id }) => id === value) ? value : null}
      onChange={(id) => id !== null && onChange(String(id))}
      placeholder={placeholder}
      isInvalid={problem !== undefined}
      isRequired={isRequired}
      validationBehavior="aria"
      // Without options nothing would open; they may still be on their way.
      isDisabled={options.length === 0}
    >
      <Label className={isInline ? 'pick-label' : 'label'}>{label}</Label>
      <Button className={isInline ? 'button pick-button' : 'input select'}>
        <SelectValue className="select-value" />
        <span aria-hidden="true">▾</span>
      </Button>
      <FieldError className="field-problem">{problem}</FieldError>
      <Popover className="popover select-popover">
        <ListBox className="select-list" items={options}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              <span className="select-name">{name}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
