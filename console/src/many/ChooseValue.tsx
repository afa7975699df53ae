// The column that many records get a value in, and the value.

import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, ColumnDefinition, RawValue } from '../api/client.ts';
import { EditedValue } from '../values/edit/EditedValue.tsx';

interface ChooseValueProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly column: ColumnDefinition | undefined;
  /** Undefined takes the value away. */
  readonly value: RawValue | undefined;
  readonly onChange: (column: ColumnDefinition, value: RawValue | undefined) => void;
}

export function ChooseValue({ application, collection, column, value, onChange }: ChooseValueProps) {
  const t = useTranslations('many');
  // Two records cannot have the same value where it must be unique.
  const columns = collection.columns.filter(({ unique }) => !unique);
  return (
    <>
      <Select
        className="field"
        placeholder={t('chooseColumn')}
        value={column?.id ?? null}
        onChange={(key) => {
          const next = columns.find(({ id }) => id === key);
          if (next !== undefined) onChange(next, undefined);
        }}
      >
        <Label>{t('column')}</Label>
        <Button className="button many-select">
          <SelectValue className="many-selected" />
          <span aria-hidden="true">▾</span>
        </Button>
        <Popover className="popover many-columns">
          <ListBox items={columns}>
            {({ id, name }) => (
              <ListBoxItem id={id} className="menu-item" textValue={name}>
                {name}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </Select>
      {column !== undefined && (
        <EditedValue
          key={column.id}
          column={column}
          value={value}
          onChange={(next) => onChange(column, next)}
          problem={undefined}
          where={{ application, collection: collection.id, in: 'page' }}
        />
      )}
    </>
  );
}
