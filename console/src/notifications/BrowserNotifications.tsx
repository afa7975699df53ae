// Turns notifications in this browser on and off, and says in words what stands in the way.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError, clientOf, type Session } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { pushKeyQuery } from '../api/notifications.ts';
import { devicesQuery } from '../api/own.ts';
import { useSentence } from '../messages/problem.ts';
import { useKnownDevice } from './known-device.ts';
import { maySend } from './may-send.ts';
import { NotPossible, type Obstacle, obstacle, showTest, turnOff, turnOn } from './subscription.ts';
import './notifications.css';

interface BrowserNotificationsProps {
  readonly application: string;
  readonly session: Session;
}

export function BrowserNotifications({ application, session }: BrowserNotificationsProps) {
  const t = useTranslations('notifications.browser');
  const sentence = useSentence();
  const queries = useQueryClient();
  const name = useQuery({ ...definitionQuery(application), enabled: session.apiAccess }).data?.name ?? 'Cartulary';
  const userId = session.user.id;
  const client = clientOf(application);
  const devices = useQuery(devicesQuery(application, userId));
  const key = useQuery(pushKeyQuery(application));
  const [why, setWhy] = useState<Obstacle | undefined>(obstacle);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [tested, setTested] = useState(false);
  const known = useKnownDevice(application, userId);
  const isOn = known !== undefined && devices.data?.some(({ id }) => id === known) === true;
  // Without the feature, or the right to use the application, there is nothing to turn on.
  if (key.isPending || (key.error instanceof CartularyError && key.error.status < 500)) return null;

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    setTested(false);
    try {
      await work();
      setWhy(undefined);
    } catch (error) {
      if (error instanceof NotPossible) setWhy(error.why);
      else setProblem(sentence(error));
    }
    await queries.invalidateQueries({ queryKey: devicesQuery(application, userId).queryKey });
    setBusy(false);
  }

  /** Through the server where the person may send, so that the whole way is tried. */
  async function test(): Promise<void> {
    const message = { title: t('testTitle'), body: t('testBody', { name }) };
    if (maySend(session)) await client.users.notify(userId, { ...message, url: location.href });
    else await showTest(message.title, message.body);
    setTested(true);
  }

  return (
    <section className="browser-notifications" aria-labelledby="browser-notifications">
      <h2 id="browser-notifications">{t('title')}</h2>
      <p>
        {isOn ? t('on') : t('offNow')} {isOn && <span className="hint">{t('until')}</span>}
      </p>
      {why !== undefined && (
        <p role="alert" className="message wrong">
          <strong>{t(why)}</strong>
          {why !== 'dismissed' && ` ${t(`${why}Hint`)}`}
        </p>
      )}
      <p role="alert" className="message wrong">
        {problem}
      </p>
      {!isOn && why === undefined && <p className="hint">{t('ask')}</p>}
      <div className="compose-actions">
        {isOn ? (
          <>
            <Button className="button" isDisabled={busy} onPress={() => void attempt(test)}>
              {t('test')}
            </Button>
            <Button
              className="button"
              isDisabled={busy}
              onPress={() => void attempt(() => turnOff({ client, application, userId }))}
            >
              {t('turnOff')}
            </Button>
          </>
        ) : (
          <Button
            className="button primary"
            isDisabled={busy || (why !== undefined && why !== 'dismissed' && why !== 'service')}
            onPress={() => void attempt(() => turnOn({ client, application, userId, deviceName: navigator.platform }))}
          >
            {t('turnOn')}
          </Button>
        )}
      </div>
      <p role="status" className="message">
        {tested && t('tested')}
      </p>
    </section>
  );
}
