// The open sessions of a user: where they are signed in, and the way to end each and all others.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { clientOf, type OpenSession } from '../api/client.ts';
import { sessionsQuery } from '../api/own.ts';
import { useSentence } from '../messages/problem.ts';
import { browserName } from './browser-name.ts';
import { OwnList } from './OwnList.tsx';
import './me.css';

interface SessionsOfProps {
  readonly application: string;
  readonly userId: string;
  /** Whether they are those of the person who looks. */
  readonly own: boolean;
}

export function SessionsOf({ application, userId, own }: SessionsOfProps) {
  const t = useTranslations('me');
  const queries = useQueryClient();
  const sentence = useSentence();
  const [problem, setProblem] = useState<string>();
  const query = sessionsQuery(application, userId);
  const { raw } = clientOf(application);
  const nameOf = ({ agent }: OpenSession) => browserName(agent) ?? t('unknownBrowser');

  async function endOthers(): Promise<void> {
    setProblem(undefined);
    try {
      await raw.endOtherSessions({ userId });
    } catch (error) {
      setProblem(sentence(error));
    }
    await queries.invalidateQueries({ queryKey: query.queryKey });
  }

  return (
    <OwnList<OpenSession>
      title={t('sessions')}
      hint={t(own ? 'sessionsHint' : 'sessionsHintOther')}
      empty={t('noSessions')}
      query={query}
      show={(session) => <Session session={session} name={nameOf(session)} />}
      end={({ id }) => raw.endUserSession({ userId, sessionId: id })}
      endLabel={(session) => (session.current ? undefined : { name: nameOf(session), action: t('endSession') })}
    >
      {(sessions) =>
        sessions.some(({ current }) => !current) && (
          <div className="record-actions">
            <Button className="button" onPress={() => void endOthers()}>
              {t(own ? 'endOthers' : 'endAll')}
            </Button>
            <p role="alert" className="message wrong">
              {problem}
            </p>
          </div>
        )
      }
    </OwnList>
  );
}

function Session({ session, name }: { readonly session: OpenSession; readonly name: string }) {
  const t = useTranslations('me');
  const format = useFormatter();
  const moment = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <>
      <span className="own-name">
        {name}
        {session.current && <span className="mark">{t('thisSession')}</span>}
      </span>
      <span className="hint">
        {t('sessionLine', { ip: session.ip, since: moment(session.createdAt), used: moment(session.lastUsedAt) })}
      </span>
    </>
  );
}
