// The field of a form around an editor: its name, the editor, and what is wrong.

import { FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';

interface TextEditorProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problem: string | undefined;
  /** Of an input element; `lines` for texts of any length. */
  readonly kind: 'lines' | 'text' | 'date' | 'time' | 'datetime-local';
  readonly step?: string;
  readonly hint?: string | undefined;
}

export function TextEditor({ label, text, onText, problem, kind, step, hint }: TextEditorProps) {
  return (
    <TextField className="field" value={text} onChange={onText} isInvalid={problem !== undefined}>
      <Label>{label}</Label>
      {kind === 'lines' ? (
        <TextArea className="input" rows={Math.min(8, text.split('\n').length)} />
      ) : (
        <Input className="input" type={kind} step={step} inputMode={kind === 'text' ? 'decimal' : undefined} />
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
