// What was sent and what became of it, with the reason at each device.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Delivery, SentNotification } from '../api/client.ts';
import { nextLookMs, sentQuery } from '../api/notifications.ts';
import { useSentence } from '../messages/problem.ts';
import { Moment } from '../values/show/date-time.tsx';
import { PersonName } from '../values/show/user.tsx';
import { OUTCOMES, outcomeOf, type Sending, sendingsOf, whyOf } from './outcome.ts';

export function History({ application }: { readonly application: string }) {
  const t = useTranslations('notifications');
  const sentence = useSentence();
  const sent = useInfiniteQuery({
    ...sentQuery(application),
    refetchInterval: ({ state }) =>
      nextLookMs(state.data?.pages.flatMap((page) => page.notifications) ?? [], Date.now()),
  });
  const sendings = useMemo(() => sendingsOf(sent.data?.pages.flatMap((page) => page.notifications) ?? []), [sent.data]);
  return (
    <section className="history" aria-labelledby="history-title">
      <h2 id="history-title">{t('history')}</h2>
      {sent.isError && (
        <p role="alert" className="message wrong">
          {sentence(sent.error)}
        </p>
      )}
      {sent.isSuccess && sendings.length === 0 && <p className="hint">{t('none')}</p>}
      {sendings.map((sending) => (
        <OneSending key={sending.id} sending={sending} />
      ))}
      {sent.hasNextPage && (
        <Button
          className="button"
          isDisabled={sent.isFetchingNextPage}
          onPress={() => {
            void sent.fetchNextPage();
          }}
        >
          {t('older')}
        </Button>
      )}
    </section>
  );
}

function OneSending({ sending: { first, notifications, counts } }: { readonly sending: Sending }) {
  const t = useTranslations('notifications');
  const to =
    notifications.length === 1
      ? t('toPerson', { name: first.user.name })
      : t('toMany', { count: notifications.length });
  return (
    <Disclosure className="sending">
      <Heading level={3} className="sending-head">
        <Button slot="trigger" className="sending-open">
          <span className="sending-title">{first.title}</span>
          <span className="sending-body">{first.body}</span>
          <span className="sending-outcomes">
            {OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => (
              <span key={outcome} className={`outcome ${outcome}`}>
                {notifications.length === 1
                  ? t(`outcomes.${outcome}`)
                  : t(`counts.${outcome}`, { count: counts[outcome] })}
              </span>
            ))}
          </span>
          <span className="sending-when hint">
            <Moment at={first.createdAt} /> · {to}
          </span>
        </Button>
      </Heading>
      <DisclosurePanel className="sending-details">
        <p className="sending-whole">{first.body}</p>
        {first.url !== undefined && <p className="hint sending-url">{first.url}</p>}
        <p className="hint">{t('by', { name: first.createdBy.name })}</p>
        <ul className="sending-people">
          {notifications.map((notification) => (
            <OnePerson key={notification.id} notification={notification} />
          ))}
        </ul>
      </DisclosurePanel>
    </Disclosure>
  );
}

function OnePerson({ notification }: { readonly notification: SentNotification }) {
  const t = useTranslations('notifications');
  const outcome = outcomeOf(notification);
  return (
    <li className="sending-person">
      <PersonName person={notification.user} />
      <span className={`outcome ${outcome}`}>{t(`outcomes.${outcome}`)}</span>
      {notification.deliveries.length > 0 && (
        <ul className="sending-devices">
          {notification.deliveries.map((delivery) => (
            <OneDevice key={delivery.deviceId} delivery={delivery} />
          ))}
        </ul>
      )}
    </li>
  );
}

const STATES = { waiting: 'waiting', delivered: 'delivered', failed: 'failed', gone: 'failed' } as const;

function OneDevice({ delivery }: { readonly delivery: Delivery }) {
  const t = useTranslations('notifications');
  const { transport, deviceName, state, attempts, problem = '' } = delivery;
  const why = whyOf(delivery);
  const named = deviceName === undefined || deviceName === '' ? t('unnamed') : deviceName;
  return (
    <li>
      {transport === undefined ? t('removed') : named}: {t(`outcomes.${STATES[state]}`)}
      {why !== undefined && ` – ${t(`why.${why}`, { reason: problem })}`}
      {attempts > 1 && ` (${t('attempts', { count: attempts })})`}
    </li>
  );
}
