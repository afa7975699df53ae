// Where a design begins: from nothing, from a file, from a template, or from what is published. And the designs that this
// browser has.

import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { useOperatorAccess } from '../api/operator.ts';
import { Mark } from '../frame/Mark.tsx';
import { useLanguage } from '../messages/provider.tsx';
import { viewerZone } from '../messages/time-zone.tsx';
import { designOf, newKey, newSettings } from './design.ts';
import { type Begin, type DraftSummary, drafts, forgetDraft, keepDraft, sourceFiles } from './drafts.ts';
import { FromApplication } from './FromApplication.tsx';
import { FromFile } from './FromFile.tsx';
import { TEMPLATES } from './templates/templates.ts';
import { templateAbout, templateDocument, templateName } from './templates/words.ts';
import './design.css';

export function DesignStartPage() {
  const t = useTranslations('design');
  const { language } = useLanguage();
  const navigate = useNavigate();
  const isOperator = useOperatorAccess() !== undefined;
  const begin: Begin = (kept, source) => {
    const draft = newKey();
    keepDraft(draft, kept);
    if (source !== undefined) sourceFiles.set(draft, source);
    void navigate({ to: '/design/$draft', params: { draft }, search: {} });
  };
  return (
    <main className="design-start">
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="design-start-head">
        <Link to="/" search={{ choose: true }} aria-label="Cartulary">
          <Mark />
        </Link>
        <h1>{t('title')}</h1>
        {isOperator && <Link to="/operate">{t('toApplications')}</Link>}
      </div>
      <p className="hint">{t('startHint')}</p>
      <Drafts />
      <div className="design-choices">
        <Choice title={t('empty')} hint={t('emptyHint')}>
          <Button
            className="button primary"
            onPress={() =>
              begin({ design: { settings: newSettings(t('newApplication'), viewerZone()), collections: [] } })
            }
          >
            {t('emptyDo')}
          </Button>
        </Choice>
        <Choice title={t('file')} hint={t('fileHint')}>
          <FromFile onBegin={begin} timeZone={viewerZone()} />
        </Choice>
        <Choice title={t('present')} hint={t('presentHint')}>
          <FromApplication onBegin={begin} />
        </Choice>
      </div>
      <section aria-labelledby="design-templates" className="design-start-part">
        <h2 id="design-templates">{t('template')}</h2>
        <p className="hint">{t('templateHint')}</p>
        <ul className="design-templates">
          {TEMPLATES.map((template) => {
            const name = templateName(template, language);
            const columns = template.collections.reduce((sum, each) => sum + each.columns.length, 0);
            return (
              <li key={template.id} className="design-choice">
                <h3>{name}</h3>
                <p>{templateAbout(template, language)}</p>
                <p className="hint">{t('templateSize', { collections: template.collections.length, columns })}</p>
                <Button
                  className="button"
                  onPress={() => begin({ design: designOf(templateDocument(template, language, viewerZone())) })}
                >
                  {t('templateUse', { name })}
                </Button>
              </li>
            );
          })}
        </ul>
      </section>
    </main>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}

function Choice({ title, hint, children }: ChoiceProps) {
  return (
    <section className="design-choice" aria-label={title}>
      <h2>{title}</h2>
      <p className="hint">{hint}</p>
      {children}
    </section>
  );
}

function Drafts() {
  const t = useTranslations('design');
  const cancel = useTranslations('common')('cancel');
  const format = useFormatter();
  const [kept, setKept] = useState(drafts);
  const [asked, setAsked] = useState<DraftSummary>();
  if (kept.length === 0) return null;
  const nameOf = (name: string): string => (name.trim() === '' ? t('untitled') : name);
  return (
    <section aria-labelledby="design-drafts" className="design-start-part">
      <h2 id="design-drafts">{t('drafts')}</h2>
      <ul className="design-drafts">
        {kept.map((draft) => (
          <li key={draft.id}>
            <Link to="/design/$draft" params={{ draft: draft.id }} search={{}}>
              {nameOf(draft.name)}
            </Link>
            <span className="hint">
              {t('changed', {
                date: format.dateTime(new Date(draft.changedAt), { dateStyle: 'medium', timeStyle: 'short' }),
              })}
            </span>
            <Button
              className="button icon"
              aria-label={t('discard', { name: nameOf(draft.name) })}
              onPress={() => setAsked(draft)}
            >
              ✕
            </Button>
          </li>
        ))}
      </ul>
      {asked !== undefined && (
        <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => setAsked(undefined)}>
          <Modal>
            <Dialog className="dialog" role="alertdialog">
              <Heading slot="title">{t('discardAsk', { name: nameOf(asked.name) })}</Heading>
              <p>{t('discardHint')}</p>
              <div className="dialog-actions">
                <Button
                  className="button danger"
                  onPress={() => {
                    forgetDraft(asked.id);
                    setKept(drafts());
                    setAsked(undefined);
                  }}
                >
                  {t('discardDo')}
                </Button>
                <Button className="button" slot="close">
                  {cancel}
                </Button>
              </div>
            </Dialog>
          </Modal>
        </ModalOverlay>
      )}
    </section>
  );
}
