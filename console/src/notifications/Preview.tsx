// A notification as systems show it: the title, the message, and where it comes from.

import { useTranslations } from 'use-intl';
import { Mark } from '../frame/Mark.tsx';
import { type Draft, isLink } from './message.ts';

export function Preview({ name, draft: { title, body, url } }: { readonly name: string; readonly draft: Draft }) {
  const t = useTranslations('notifications');
  return (
    <section className="preview" aria-labelledby="preview-title">
      <h2 id="preview-title">{t('preview')}</h2>
      <div className="preview-card">
        <p className="preview-from">
          <Mark />
          <span className="preview-host">{location.host}</span>
          <span>{t('now')}</span>
        </p>
        <p className="preview-title">{title.trim() === '' ? name : title}</p>
        <p className={body === '' ? 'preview-body hint' : 'preview-body'}>{body === '' ? t('noBody') : body}</p>
        {isLink(url) && <p className="preview-link hint">{url}</p>}
      </div>
    </section>
  );
}
