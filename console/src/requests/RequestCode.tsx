// One request in each of the languages, and what has to be known to use it.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CopyButton } from '../people/CopyBox.tsx';
import { type Call, fileOf } from './code/call.ts';
import { curl } from './code/curl.ts';
import { javascript, withClient } from './code/javascript.ts';
import { python } from './code/python.ts';
import { PROGRAM_LANGUAGES, useProgramLanguage } from './program-language.ts';

const WRITERS = { curl, javascript, client: withClient, python };

export function RequestCode({ call }: { readonly call: Call }) {
  const t = useTranslations('requests');
  const [preferred, choose] = useProgramLanguage();
  const languages = PROGRAM_LANGUAGES.filter((id) => WRITERS[id](call) !== undefined);
  const language = languages.includes(preferred) ? preferred : 'curl';
  const code = WRITERS[language](call) ?? '';
  const file = fileOf(call.body);
  const marked = {
    code: (text: ReactNode) => <code>{text}</code>,
    link: (text: ReactNode) => (
      <Link to="/$application/me" params={{ application: call.application }}>
        {text}
      </Link>
    ),
  };
  return (
    <Tabs
      className="request-code"
      selectedKey={language}
      onSelectionChange={(key) => choose(key as (typeof PROGRAM_LANGUAGES)[number])}
    >
      <div className="request-bar">
        <TabList className="request-tabs" aria-label={t('languages')}>
          {languages.map((id) => (
            <Tab key={id} id={id} className="request-tab">
              {t(id)}
            </Tab>
          ))}
        </TabList>
        <CopyButton key={code} text={code} />
      </div>
      <TabPanel id={language} className="request-panel">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the arrow keys */}
        <section className="request-text" tabIndex={0} aria-label={t('code')} dir="ltr">
          <pre>
            <code>{code}</code>
          </pre>
        </section>
        <p className="hint">{t.rich('token', marked)}</p>
        {language === 'client' && <p className="hint">{t.rich('clientHint', marked)}</p>}
        {call.headers.some(([name]) => name === 'If-Match') && <p className="hint">{t.rich('ifMatch', marked)}</p>}
        {file !== undefined && <p className="hint">{t.rich('file', { ...marked, file })}</p>}
      </TabPanel>
    </Tabs>
  );
}
