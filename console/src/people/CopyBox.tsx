// A text that is handed on: shown whole, and copied by one press.

import { useState } from 'react';
import { Button, TextArea, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';

interface CopyBoxProps {
  readonly label: string;
  readonly text: string;
}

export function CopyBox({ label, text }: CopyBoxProps) {
  return (
    <div className="copy-box">
      <TextField aria-label={label} value={text} isReadOnly className="copy-text">
        <TextArea className="input" rows={2} onFocus={({ currentTarget }) => currentTarget.select()} />
      </TextField>
      <CopyButton text={text} />
    </div>
  );
}

interface CopyButtonProps {
  readonly text: string;
  /** Where "copy" alone does not say what. */
  readonly label?: string;
  readonly quiet?: boolean;
}

/** Without https there is no clipboard; the text beside it can be selected all the same. */
export function CopyButton({ text, label, quiet = false }: CopyButtonProps) {
  const t = useTranslations('people');
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  return (
    <Button
      className={quiet ? 'button quiet' : 'button'}
      {...(label === undefined ? {} : { 'aria-label': label })}
      onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {copied ? t('copied') : t('copy')}
    </Button>
  );
}
