// A design from a table, whose columns are guessed, or from a publish document.

import { useState } from 'react';
import { Button, DropZone, FileTrigger } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { DocumentFinding } from '../../../src/domain/definition/findings.ts';
import type { PublishDocument } from '../../../src/wire/publish-document.ts';
import { useFailureSentence } from '../moving/failure-sentence.ts';
import { useMovingWorker } from '../moving/moving-worker.ts';
import { designOf, newCollection, newColumn, newSettings } from './design.ts';
import type { Begin } from './drafts.ts';
import { freeName } from './edits.ts';
import { unreadableOf } from './find-problems.ts';
import { cleanName } from './guess.ts';
import { useFindingSentence } from './use-finding-sentence.ts';
import '../moving/moving.css';

const ACCEPTED = ['.csv', '.tsv', '.txt', '.xlsx', '.jsonl', '.ndjson', '.json'];
const FINDINGS_SHOWN = 10;

interface FromFileProps {
  readonly onBegin: Begin;
  readonly timeZone: string;
}

type Said = { readonly text: string; readonly findings?: readonly DocumentFinding[] };

export function FromFile({ onBegin, timeZone }: FromFileProps) {
  const t = useTranslations('design');
  const failure = useFailureSentence();
  const finding = useFindingSentence();
  const worker = useMovingWorker();
  const [reading, setReading] = useState(false);
  const [said, setSaid] = useState<Said>();

  async function take(file: File | null | undefined): Promise<void> {
    if (file == null || worker === undefined) return;
    setReading(true);
    setSaid(undefined);
    try {
      if (/\.json$/i.test(file.name)) await openDocument(file);
      else await openTable(file);
    } catch (error) {
      setSaid({ text: failure(error) });
    } finally {
      setReading(false);
    }
  }

  async function openDocument(file: File): Promise<void> {
    let document: unknown;
    try {
      // Editors on Windows put a mark at the beginning.
      document = JSON.parse((await file.text()).replace(/^\uFEFF/, ''));
    } catch (error) {
      setSaid({ text: t('notJson', { reason: (error as Error).message }) });
      return;
    }
    const findings = unreadableOf(document);
    if (findings.length > 0) setSaid({ text: t('notDocument'), findings: findings.slice(0, FINDINGS_SHOWN) });
    else onBegin({ design: designOf(document as PublishDocument) });
  }

  async function openTable(file: File): Promise<void> {
    const guessed = (await worker?.order('guess', { file, form: {} })) ?? [];
    const name = cleanName(file.name.replace(/\.\w+$/, '')) || t('newCollection');
    const columns = guessed.map(({ name: header, ...rest }, index) => ({
      ...newColumn(header === '' ? freeName(t('unnamedColumn', { number: index + 1 }), guessed) : header),
      ...rest,
    }));
    const collection = { ...newCollection(name), columns };
    const design = { settings: newSettings(name, timeZone), collections: [collection] };
    onBegin({ design }, { file, collection: collection.key });
  }

  return (
    <>
      <DropZone
        className="moving-drop"
        aria-label={t('file')}
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'file');
          if (dropped !== undefined) void dropped.getFile().then(take);
        }}
      >
        <FileTrigger acceptedFileTypes={ACCEPTED} onSelect={(files) => void take(files?.[0])}>
          <Button className="button" isDisabled={worker === undefined || reading}>
            {t('fileChoose')}
          </Button>
        </FileTrigger>
        <span className="hint">{t(reading ? 'fileReading' : 'fileDrop')}</span>
      </DropZone>
      {said !== undefined && (
        <div role="alert" className="message wrong">
          <p>{said.text}</p>
          {said.findings !== undefined && (
            <ul>
              {said.findings.map((each) => (
                <li key={`${each.path} ${each.code}`}>
                  <code>{each.path === '' ? '/' : each.path}</code> {finding(each)}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}
