// Takes along what the view shows: its columns, its search and its order.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useLocale, useTranslations } from 'use-intl';
import { type FileFormat, FORMATS } from '../../../src/moving/formats/format-names.ts';
import type { CollectionDefinition } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { type ListQuery, listParameters } from '../api/records.ts';
import { type ColumnSettings, shownColumns } from '../grid/column-settings.ts';
import { METADATA } from '../grid/grid-columns.ts';
import type { RecordSelection } from '../many/record-selection.ts';
import { useZone } from '../messages/time-zone.tsx';
import { Choice } from '../values/edit/Choice.tsx';
import { useFailureSentence } from './failure-sentence.ts';
import { canWriteFiles } from './save-target.ts';
import { Tick } from './Tick.tsx';
import { type ExportState, useExport } from './use-export.ts';
import type { ShownForm } from './worker/shown-cells.ts';
import './moving.css';

interface ExportDialogProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly query: ListQuery;
  readonly columns: ColumnSettings;
  /** Only the records that are selected. */
  readonly selection?: RecordSelection;
  readonly onClose: () => void;
}

const VALUE_FORMS = ['asStored', 'asShown'] as const;
type ValueForm = (typeof VALUE_FORMS)[number];

const SEPARATORS = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const;

export function ExportDialog({
  application,
  collection,
  query,
  columns: settings,
  selection,
  onClose,
}: ExportDialogProps) {
  const t = useTranslations('moving');
  const close = useTranslations('common')('close');
  const definition = useQuery(definitionQuery(application)).data;
  const exporting = useExport();
  const timeZone = useZone();
  const [format, setFormat] = useState<FileFormat>('csv');
  const [delimiter, setDelimiter] = useState<string>(',');
  const [byteOrderMark, setByteOrderMark] = useState(true);
  const [withMetadata, setWithMetadata] = useState(false);
  const [values, setValues] = useState<ValueForm>('asStored');
  const shown = useShownForm();
  const all = [...collection.columns.map(({ id }) => id), ...METADATA];
  const own = new Set(collection.columns.map(({ id }) => id));
  const columns = shownColumns(all, settings).filter((id) => own.has(id));
  const { isRunning } = exporting.state;
  const only = selection !== undefined ? 'selected' : query.search !== '' ? 'found' : 'all';

  async function start(): Promise<void> {
    if (definition === undefined) return;
    await exporting.start(`${collection.name.replaceAll(/[\\/:*?"<>|]/g, '_')}.${format}`, {
      application: definition,
      columns,
      query: listParameters(collection.id, query),
      ...(selection === undefined ? {} : { selection }),
      format,
      csv: { delimiter, byteOrderMark },
      withMetadata,
      timeZone,
      ...(values === 'asShown' && format !== 'jsonl' ? { shown } : {}),
    });
  }

  return (
    <ModalOverlay
      className="shade"
      isOpen
      isDismissable={!isRunning}
      isKeyboardDismissDisabled={isRunning}
      onOpenChange={onClose}
    >
      <Modal>
        <Dialog className="moving-dialog">
          <Heading slot="title">{t('exportTitle', { name: collection.name })}</Heading>
          <p>{t('exportWhat', { count: columns.length, only })}</p>
          {!isRunning && (
            <>
              <Choice
                isInline
                label={t('exportAs')}
                value={format}
                options={FORMATS.map((id) => ({ id, name: t(id) }))}
                onChange={(id) => setFormat(id as FileFormat)}
              />
              {format === 'csv' && (
                <>
                  <Choice
                    isInline
                    label={t('separator')}
                    value={delimiter}
                    options={Object.entries(SEPARATORS).map(([id, name]) => ({ id, name: t(name) }))}
                    onChange={setDelimiter}
                  />
                  <Tick label={t('bom')} isSelected={byteOrderMark} onChange={setByteOrderMark} />
                </>
              )}
              {format !== 'jsonl' && (
                <>
                  <Choice
                    isInline
                    label={t('values')}
                    value={values}
                    options={VALUE_FORMS.map((id) => ({ id, name: t(id) }))}
                    onChange={(id) => setValues(id as ValueForm)}
                  />
                  <p className="hint">{t(values === 'asShown' ? 'asShownHint' : 'asStoredHint')}</p>
                </>
              )}
              <Tick label={t('metadata')} isSelected={withMetadata} onChange={setWithMetadata} />
              {format === 'csv' && <p className="hint">{t('exportNote')}</p>}
              {!canWriteFiles() && <p className="hint">{t('exportMemory')}</p>}
            </>
          )}
          <Said state={exporting.state} />
          <div className="moving-buttons">
            {isRunning ? (
              <Button className="button" onPress={exporting.stop}>
                {t('stop')}
              </Button>
            ) : (
              <>
                <Button className="button primary" isDisabled={!exporting.isReady} onPress={() => void start()}>
                  {t('exportStart')}
                </Button>
                <Button className="button" onPress={onClose}>
                  {close}
                </Button>
              </>
            )}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The words of the page, for the worker, which has no messages. */
function useShownForm(): ShownForm {
  const t = useTranslations();
  const locale = useLocale();
  return {
    locale,
    timeZone: useZone(),
    yes: t('common.yes'),
    no: t('common.no'),
    metadata: [
      t('search.id'),
      ...(['created', 'createdBy', 'updated', 'updatedBy'] as const).map((name) => t(`grid.${name}`)),
    ],
  };
}

function Said({ state: { progress, isRunning, exported, isStopped, failure } }: { readonly state: ExportState }) {
  const t = useTranslations('moving');
  const sentence = useFailureSentence();
  if (failure !== undefined) {
    return (
      <p role="alert" className="message wrong">
        {sentence(failure)}
      </p>
    );
  }
  return (
    <p role="status" className="message">
      {isRunning && `${t('exporting')}: ${t('records', { count: progress?.rows ?? 0 })}`}
      {isRunning && progress?.waiting !== undefined && ` ${t(progress.waiting)}`}
      {exported !== undefined && t('exported', { count: exported })}
      {isStopped === true && t('exportStopped')}
    </p>
  );
}
