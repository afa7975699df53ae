// Saves what the page is narrowed down to as a file, with progress and the way to stop.

import { useEffect, useRef, useState } from 'react';
import {
  Button,
  Dialog,
  Heading,
  Label,
  Modal,
  ModalOverlay,
  ProgressBar,
  Radio,
  RadioGroup,
} from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { clientOf } from '../api/client.ts';
import { useSentence } from '../messages/problem.ts';
import { useZone } from '../messages/time-zone.tsx';
import { addDays, dayStart, localDay } from '../views/days.ts';
import { type ActivityAddress, filterOf } from './activity-address.ts';
import { csvFormat } from './csv-format.ts';
import { type ExportPeriod, type ExportProgress, exportLog, JSON_LINES } from './export.ts';

const DEFAULT_DAYS = 90;

interface ExportDialogProps {
  readonly application: string;
  readonly address: ActivityAddress;
  readonly onClose: () => void;
}

type State =
  | { readonly is: 'asking' | 'stopped' }
  | { readonly is: 'running'; readonly progress: ExportProgress }
  | { readonly is: 'done'; readonly count: number }
  | { readonly is: 'failed'; readonly reason: string };

export function ExportDialog({ application, address, onClose }: ExportDialogProps) {
  const t = useTranslations('activity');
  const close = useTranslations('common')('close');
  const format = useFormatter();
  const sentence = useSentence();
  const zone = useZone();
  const [state, setState] = useState<State>({ is: 'asking' });
  const [kind, setKind] = useState('csv');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const period = exportPeriod(address, new Date(), zone);
  const shown = (at: Date) => format.dateTime(at, { dateStyle: 'medium' });
  const lastDay = new Date(period.end.getTime() - 1);

  async function start(): Promise<void> {
    const stop = new AbortController();
    running.current = stop;
    setState({ is: 'running', progress: { count: 0, reached: period.start } });
    try {
      const chosen = kind === 'csv' ? csvFormat((column) => t(`columns.${column}`)) : JSON_LINES;
      const { file, count } = await exportLog(clientOf(application), {
        period,
        filter: filterOf(address),
        format: chosen,
        signal: stop.signal,
        onProgress: (progress) => setState({ is: 'running', progress }),
      });
      save(file, `activity-${localDay(period.start, zone)}-${localDay(lastDay, zone)}.${chosen.ending}`);
      setState({ is: 'done', count });
    } catch (error) {
      setState(stop.signal.aborted ? { is: 'stopped' } : { is: 'failed', reason: sentence(error) });
    }
  }

  return (
    <ModalOverlay className="shade" isOpen isDismissable={state.is !== 'running'} onOpenChange={onClose}>
      <Modal>
        <Dialog className="dialog activity-export">
          <Heading slot="title">{t('exportTitle')}</Heading>
          <p>
            {t('exportWhat', { from: shown(period.start), to: shown(lastDay) })}{' '}
            {Object.keys(address).length > 0 && t('exportNarrowed')}
          </p>
          {address.previews === undefined && <p className="hint">{t('exportWithoutPreviews')}</p>}
          {address.from === undefined && <p className="hint">{t('exportDefault', { days: DEFAULT_DAYS })}</p>}
          <p className="hint">{t('exportLogged')}</p>
          {state.is === 'running' ? (
            <Progress progress={state.progress} period={period} />
          ) : (
            <RadioGroup className="field activity-formats" value={kind} onChange={setKind}>
              <Label>{t('format')}</Label>
              <Radio value="csv">{t('csv')}</Radio>
              <Radio value="jsonLines">{t('jsonLines')}</Radio>
            </RadioGroup>
          )}
          <p role="status" className="message">
            {state.is === 'done' && t('exported', { count: state.count })}
            {state.is === 'stopped' && t('stopped')}
          </p>
          <p role="alert" className="message wrong">
            {state.is === 'failed' && state.reason}
          </p>
          <div className="activity-ways">
            {state.is === 'running' ? (
              <Button className="button" onPress={() => running.current?.abort()}>
                {t('stopExport')}
              </Button>
            ) : (
              <>
                <Button className="button primary" onPress={() => void start()}>
                  {t('startExport')}
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

/** The log is read in the order of time, so the time that is reached tells how much is left. */
function Progress({ progress, period }: { readonly progress: ExportProgress; readonly period: ExportPeriod }) {
  const t = useTranslations('activity');
  const format = useFormatter();
  const whole = Math.min(period.end.getTime(), Date.now()) - period.start.getTime();
  const share = Math.max(0, (progress.reached.getTime() - period.start.getTime()) / Math.max(1, whole));
  return (
    <ProgressBar value={Math.min(100, 100 * share)} aria-label={t('progress')} className="activity-progress">
      {({ percentage = 0 }) => (
        <>
          <span>
            {t('exporting', {
              count: progress.count,
              date: format.dateTime(progress.reached, { dateStyle: 'medium' }),
            })}
          </span>
          <span className="activity-progress-bar">
            <span style={{ width: `${percentage}%` }} />
          </span>
        </>
      )}
    </ProgressBar>
  );
}

function exportPeriod({ from, to }: ActivityAddress, now: Date, zone: string): ExportPeriod {
  const last = to ?? localDay(now, zone);
  const end = dayStart(addDays(last, 1), zone);
  const start = dayStart(from ?? addDays(last, 1 - DEFAULT_DAYS), zone);
  return { start: start < end ? start : end, end };
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken hold of the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
