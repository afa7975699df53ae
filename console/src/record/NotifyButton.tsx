// Writes a notification about a record, for those who may send one where notifications are on.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Session } from '../api/client.ts';
import { pushKeyQuery } from '../api/notifications.ts';
import { keep, readKept } from '../notifications/kept-draft.ts';
import { maySend } from '../notifications/may-send.ts';
import { aboutPage } from '../notifications/message.ts';

interface NotifyButtonProps {
  readonly application: string;
  readonly session: Session;
  readonly title: string;
}

export function NotifyButton({ application, session, title }: NotifyButtonProps) {
  const t = useTranslations('record');
  const navigate = useNavigate();
  const isOn = useQuery({ ...pushKeyQuery(application), enabled: maySend(session) }).data !== undefined;
  if (!isOn) return null;
  const write = () => {
    const { id } = session.user;
    const url = location.origin + location.pathname;
    const { draft, people, teams } = readKept(application, id);
    keep(application, id, { draft: aboutPage(draft, { title, url }), people, teams });
    void navigate({ to: '/$application/notifications', params: { application } });
  };
  return (
    <Button className="button quiet" onPress={write}>
      {t('notify')}
    </Button>
  );
}
