// Takes a backup of everything or of one application, and saves it where the browser saves files.

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { applicationsQuery } from '../../api/operator.ts';
import { useSentence } from '../../messages/problem.ts';
import { canWriteFiles } from '../../moving/save-target.ts';
import { useBytes } from '../../values/bytes.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { BackupTooLong, IN_MEMORY_MAX, saveBackup } from './backup.ts';

const ALL = 'all';

type State =
  | { readonly at: 'idle' }
  | { readonly at: 'running'; readonly read: number }
  | { readonly at: 'done'; readonly read: number; readonly name: string }
  | { readonly at: 'failed'; readonly text: string };

export function BackupPart() {
  const t = useTranslations('maintenance');
  const sentence = useSentence();
  const bytes = useBytes();
  const applications = useQuery(applicationsQuery).data ?? [];
  const [which, setWhich] = useState(ALL);
  const [state, setState] = useState<State>({ at: 'idle' });
  const stopping = useRef(new AbortController());

  async function start(): Promise<void> {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    try {
      const onRead = (read: number) => setState({ at: 'running', read });
      const saved = await saveBackup(which === ALL ? undefined : which, { onRead, signal });
      setState(saved === undefined ? { at: 'idle' } : { at: 'done', ...saved });
    } catch (error) {
      if (signal.aborted) setState({ at: 'failed', text: t('backupStopped') });
      else if (error instanceof BackupTooLong) setState({ at: 'failed', text: t('backupTooLong') });
      else setState({ at: 'failed', text: `${sentence(error)} ${t('backupNothing')}` });
    }
  }

  const isRunning = state.at === 'running';
  return (
    <section className="operate-part" aria-labelledby="backup">
      <h2 id="backup">{t('backup')}</h2>
      <p>{t('backupHint')}</p>
      <div className="maintenance-row">
        <Choice
          isInline
          label={t('backupOf')}
          value={which}
          options={[{ id: ALL, name: t('everything') }, ...applications.map(({ id, name }) => ({ id, name }))]}
          onChange={setWhich}
        />
        <Button className="button primary" isDisabled={isRunning} onPress={() => void start()}>
          {t('backupStart')}
        </Button>
        {isRunning && (
          <Button className="button" onPress={() => stopping.current.abort()}>
            {t('stop')}
          </Button>
        )}
      </div>
      <p
        role={state.at === 'failed' ? 'alert' : 'status'}
        className={state.at === 'failed' ? 'message wrong' : state.at === 'done' ? 'message right' : 'message'}
      >
        {state.at === 'running' && t('backupRunning', { size: bytes(state.read) })}
        {state.at === 'done' && t('backupDone', { name: state.name, size: bytes(state.read) })}
        {state.at === 'failed' && state.text}
      </p>
      {!canWriteFiles() && <p className="hint">{t('backupMemory', { size: bytes(IN_MEMORY_MAX) })}</p>}
      <p className="hint">{t('backupSecret')}</p>
    </section>
  );
}
