// The fields of the design's forms: a label, the control, a hint, and what is wrong.

import type { ReactNode } from 'react';
import { Checkbox, FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly problem?: string | undefined;
  readonly hint?: string;
  readonly autoFocus?: boolean;
  /** Instead of a line: one entry per line. */
  readonly lines?: number;
  readonly inputMode?: 'numeric';
  readonly onEnter?: () => void;
  readonly hiddenLabel?: boolean;
}

export function TextInput(props: TextProps) {
  const { label, value, onChange, problem, hint, autoFocus = false, lines, inputMode, onEnter, hiddenLabel } = props;
  return (
    <TextField
      className="field"
      value={value}
      onChange={onChange}
      isInvalid={problem !== undefined}
      autoFocus={autoFocus}
      autoComplete="off"
      {...(hiddenLabel === true ? { 'aria-label': label } : {})}
      {...(onEnter === undefined
        ? {}
        : {
            onKeyDown: (event) => {
              if (event.key === 'Enter' && !event.nativeEvent.isComposing) onEnter();
              else event.continuePropagation();
            },
          })}
    >
      {hiddenLabel !== true && <Label>{label}</Label>}
      {lines === undefined ? (
        <Input
          className="input"
          spellCheck="false"
          inputMode={inputMode}
          onFocus={autoFocus ? (event) => event.target.select() : undefined}
        />
      ) : (
        <TextArea className="input design-lines" rows={lines} spellCheck="false" />
      )}
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-problem">{problem}</FieldError>
    </TextField>
  );
}

interface FlagProps {
  readonly label: string;
  readonly hint: string;
  readonly isSelected: boolean;
  readonly isDisabled?: boolean;
  readonly problem?: string | undefined;
  readonly onChange: (selected: boolean) => void;
}

export function Flag({ label, hint, isSelected, isDisabled = false, problem, onChange }: FlagProps) {
  return (
    <div className="design-tick">
      <Checkbox
        className="check"
        isSelected={isSelected}
        isDisabled={isDisabled}
        isInvalid={problem !== undefined}
        onChange={onChange}
      >
        <span>
          {label} <span className="hint">{hint}</span>
        </span>
      </Checkbox>
      {problem !== undefined && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="design-section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
