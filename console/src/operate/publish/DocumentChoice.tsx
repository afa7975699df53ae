// The publish document: a file that is dropped or chosen, or pasted text.

import { useState } from 'react';
import { Button, DropZone, FileTrigger, Label, TextArea, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';

interface DocumentChoiceProps {
  readonly problem: string | undefined;
  readonly onText: (text: string, name: string) => void;
}

export function DocumentChoice({ problem, onText }: DocumentChoiceProps) {
  const t = useTranslations('publish');
  const [text, setText] = useState('');
  const take = async (file: File | null | undefined): Promise<void> => {
    if (file != null) onText(await file.text(), file.name);
  };
  return (
    <section className="publish-part" aria-label={t('document')}>
      <p className="hint">{t('documentHint')}</p>
      <DropZone
        className="publish-drop"
        aria-label={t('dropLabel')}
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'file');
          if (dropped !== undefined) void dropped.getFile().then(take);
        }}
      >
        <FileTrigger acceptedFileTypes={['.json', 'application/json']} onSelect={(files) => void take(files?.[0])}>
          <Button className="button primary">{t('choose')}</Button>
        </FileTrigger>
        <span className="hint">{t('dropHint')}</span>
      </DropZone>
      <p role="alert" className="message wrong">
        {problem}
      </p>
      <TextField className="field" value={text} onChange={setText}>
        <Label>{t('paste')}</Label>
        <TextArea className="input publish-paste" rows={4} spellCheck="false" />
      </TextField>
      {text.trim() !== '' && (
        <div>
          <Button className="button" onPress={() => onText(text, t('pasted'))}>
            {t('compare')}
          </Button>
        </div>
      )}
      <p className="hint">{t('nothingYet')}</p>
    </section>
  );
}
