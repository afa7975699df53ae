// The API tokens of a user. A new one's secret is shown once, when it is made.

import { useFormatter, useTranslations } from 'use-intl';
import { clientOf, type Token } from '../api/client.ts';
import { tokensQuery } from '../api/own.ts';
import { NewToken } from './NewToken.tsx';
import { OwnList } from './OwnList.tsx';
import './me.css';

interface TokensOfProps {
  readonly application: string;
  readonly userId: string;
  /** Only for oneself: a token made for a colleague would be in two hands. */
  readonly own: boolean;
}

export function TokensOf({ application, userId, own }: TokensOfProps) {
  const t = useTranslations('me');
  const { raw } = clientOf(application);
  return (
    <OwnList<Token>
      title={t('tokens')}
      hint={t(own ? 'tokensHint' : 'tokensHintOther')}
      empty={t('noTokens')}
      query={tokensQuery(application, userId)}
      show={(token) => <ShownToken token={token} />}
      end={({ id }) => raw.revokeToken({ userId, tokenId: id })}
      endLabel={({ name }) => ({ name, action: t('revoke') })}
    >
      {() => own && <NewToken application={application} userId={userId} />}
    </OwnList>
  );
}

function ShownToken({ token: { id, name, createdAt, expiresAt, lastUsedAt } }: { readonly token: Token }) {
  const t = useTranslations('me');
  const format = useFormatter();
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium' });
  const expired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const used =
    lastUsedAt === undefined
      ? t('neverUsed')
      : t('lastUsed', { at: format.dateTime(new Date(lastUsedAt), { dateStyle: 'medium', timeStyle: 'short' }) });
  const ends = expiresAt === undefined ? t('neverExpires') : t('expires', { at: day(expiresAt) });
  return (
    <>
      <span className="own-name">
        {name}
        {expired && <span className="mark wrong">{t('expired')}</span>}
      </span>
      <span className="hint">
        {[used, ends, t('createdAt', { at: day(createdAt) })].join(' · ')} · <code>{id}</code>
      </span>
    </>
  );
}
