// The file: chosen, dropped, or a table that is pasted.

import { useState } from 'react';
import { Button, DropZone, FileTrigger, Label, Text, TextArea, TextField } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { useBytes } from '../values/bytes.ts';
import type { Importing } from './use-import.ts';

const ACCEPTED = ['.csv', '.tsv', '.txt', '.xlsx', '.jsonl', '.ndjson', '.json'];

export function FileChoice({ importing }: { readonly importing: Importing }) {
  const t = useTranslations('moving');
  const format = useFormatter();
  const bytes = useBytes();
  const { chosen, reading, unfinished, remembered, isReady } = importing;
  const take = (file: File | null | undefined) => {
    if (file != null) void importing.choose(file);
  };
  return (
    <section className="moving-part" aria-labelledby="moving-file">
      <h2 id="moving-file">{t('file')}</h2>
      <DropZone
        className="moving-drop"
        aria-label={t('file')}
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'file');
          if (dropped !== undefined) void dropped.getFile().then(take);
        }}
      >
        {chosen !== undefined && (
          <p className="moving-name">
            <strong>{chosen.file.name}</strong> <span className="hint">{bytes(chosen.file.size)}</span>
          </p>
        )}
        <FileTrigger acceptedFileTypes={ACCEPTED} onSelect={(files) => take(files?.[0])}>
          <Button className={chosen === undefined ? 'button primary' : 'button'} isDisabled={!isReady}>
            {t(chosen === undefined ? 'choose' : 'chooseOther')}
          </Button>
        </FileTrigger>
        {chosen === undefined && <p className="hint">{t('dropHint')}</p>}
      </DropZone>
      <p role="status" className="message">
        {statusOf()}
      </p>
      {chosen === undefined && !reading && <Pasted onTable={take} isDisabled={!isReady} />}
    </section>
  );

  function statusOf(): string {
    if (reading) return t('reading');
    const [first] = unfinished;
    if (chosen === undefined)
      return first === undefined ? '' : t('goOnHint', { file: first.file, stored: first.stored });
    if (remembered === undefined) return '';
    const { stored, finishedAt } = remembered;
    if (finishedAt === undefined) return t('goesOn', { stored });
    return t('importedBefore', {
      date: format.dateTime(new Date(finishedAt), { dateStyle: 'medium', timeStyle: 'short' }),
    });
  }
}

interface PastedProps {
  readonly onTable: (file: File) => void;
  readonly isDisabled: boolean;
}

function Pasted({ onTable, isDisabled }: PastedProps) {
  const t = useTranslations('moving');
  const [text, setText] = useState('');
  return (
    <TextField className="field" value={text} onChange={setText}>
      <Label>{t('pasteLabel')}</Label>
      <TextArea className="input moving-paste" rows={3} spellCheck="false" />
      <Text slot="description" className="hint">
        {t('pasteHint')}
      </Text>
      {text.trim() !== '' && (
        <Button
          className="button moving-use"
          isDisabled={isDisabled}
          onPress={() => onTable(new File([text], t('pastedName'), { type: 'text/csv' }))}
        >
          {t('usePasted')}
        </Button>
      )}
    </TextField>
  );
}
