// A choice between yes and no, with its label beside it.

import { Checkbox } from 'react-aria-components';

interface TickProps {
  readonly label: string;
  readonly isSelected: boolean;
  readonly onChange: (selected: boolean) => void;
}

export function Tick({ label, isSelected, onChange }: TickProps) {
  return (
    <Checkbox className="moving-check" isSelected={isSelected} onChange={onChange}>
      <span className="moving-box" aria-hidden="true" />
      {label}
    </Checkbox>
  );
}
