// Publishes a document that is dropped, chosen or pasted: first what it would change, then, after consent, the change.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Radio, RadioGroup } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { publishDocument, publishedQuery } from '../../api/operated.ts';
import type { ApplicationSummary, PublishReply } from '../../api/operated-shapes.ts';
import { applicationsQuery } from '../../api/operator.ts';
import { DocumentChoice } from './DocumentChoice.tsx';
import { DOCUMENT_BYTES_MAX, meantBy, readDocument } from './document.ts';
import { Published } from './Published.tsx';
import { PublishProgress } from './PublishProgress.tsx';
import { Refused } from './Refused.tsx';
import { Review } from './Review.tsx';
import './publish.css';

type Document = Readonly<Record<string, unknown>>;

/** How far it has come. */
type Stage =
  | { readonly at: 'choice'; readonly problem?: string }
  | { readonly at: 'which'; readonly document: Document; readonly application: ApplicationSummary }
  | { readonly at: 'checking' | 'publishing'; readonly document: Document }
  | { readonly at: 'review'; readonly document: Document; readonly reply: PublishReply }
  | { readonly at: 'refused'; readonly document: Document; readonly error: unknown }
  | { readonly at: 'done'; readonly reply: PublishReply };

interface PublishPanelProps {
  /** Absent: any application, or a new one. */
  readonly application?: string;
  /** To begin with, instead of a file. */
  readonly document?: Document;
  readonly onClose?: () => void;
  readonly onPublished?: (reply: PublishReply) => void;
}

export function PublishPanel({ application, document: given, onClose, onPublished }: PublishPanelProps) {
  const t = useTranslations('publish');
  const queries = useQueryClient();
  const applications = useQuery(applicationsQuery).data ?? [];
  const [name, setName] = useState('');
  const [stage, setStage] = useState<Stage>({ at: 'choice' });
  const target = 'document' in stage ? idIn(stage.document) : undefined;
  const known = target !== undefined && applications.some(({ id }) => id === target);
  const before = useQuery({ ...publishedQuery(target ?? ''), enabled: known }).data?.collections ?? [];

  async function check(document: Document): Promise<void> {
    setStage({ at: 'checking', document });
    try {
      const id = idIn(document);
      if (applications.some((each) => each.id === id)) await queries.fetchQuery(publishedQuery(id ?? ''));
      setStage({ at: 'review', document, reply: await publishDocument(document, DRY_RUN) });
    } catch (error) {
      setStage({ at: 'refused', document, error });
    }
  }

  function read(text: string): void {
    const result = readDocument(text);
    if ('problem' in result) {
      const { problem, detail = '' } = result;
      setStage({ at: 'choice', problem: t(problem, { detail, megabytes: DOCUMENT_BYTES_MAX / 1024 / 1024 }) });
      return;
    }
    const { document } = result;
    const meant = meantBy(document, applications, application);
    if (meant.kind === 'other') setStage({ at: 'choice', problem: t('otherApplication', { id: meant.id }) });
    else if (meant.kind === 'sameName') setStage({ at: 'which', document, application: meant.application });
    else void check(meant.kind === 'this' ? { ...document, id: application } : document);
  }

  async function publish(document: Document, allowDataLoss: boolean): Promise<void> {
    setStage({ at: 'publishing', document });
    try {
      const reply = await publishDocument(document, { dryRun: false, allowDataLoss });
      setStage({ at: 'done', reply });
      onPublished?.(reply);
    } catch (error) {
      setStage({ at: 'refused', document, error });
    }
    void queries.invalidateQueries({ queryKey: ['operator'] });
  }

  const again = () => (onClose === undefined ? setStage({ at: 'choice' }) : onClose());
  if (given !== undefined && stage.at === 'choice') {
    return <Start onStart={() => void check(given)} />;
  }
  switch (stage.at) {
    case 'choice':
      return (
        <DocumentChoice
          problem={stage.problem}
          onText={(text, file) => {
            setName(file);
            read(text);
          }}
        />
      );
    case 'which':
      return <Which {...stage} onChosen={(document) => void check(document)} onCancel={again} />;
    case 'checking':
      return <p role="status">{t('checkingDocument', { name })}</p>;
    case 'review':
      return (
        <Review
          reply={stage.reply}
          before={before}
          isNew={!known}
          onPublish={(allowDataLoss) => void publish(stage.document, allowDataLoss)}
          onCancel={again}
        />
      );
    case 'publishing':
      return <PublishProgress application={known ? target : undefined} />;
    case 'refused':
      return (
        <Refused
          error={stage.error}
          collections={before}
          onCheckAgain={() => void check(stage.document)}
          onCancel={again}
        />
      );
    case 'done':
      return <Published reply={stage.reply} onAgain={given === undefined || onClose ? again : undefined} />;
  }
}

const DRY_RUN = { dryRun: true, allowDataLoss: false };

const idIn = ({ id }: Document): string | undefined => (typeof id === 'string' ? id : undefined);

function Start({ onStart }: { readonly onStart: () => void }) {
  const t = useTranslations('publish');
  return (
    <Button className="button primary publish-start" onPress={onStart}>
      {t('compare')}
    </Button>
  );
}

interface WhichProps {
  readonly document: Document;
  readonly application: ApplicationSummary;
  readonly onChosen: (document: Document) => void;
  readonly onCancel: () => void;
}

function Which({ document, application, onChosen, onCancel }: WhichProps) {
  const t = useTranslations('publish');
  const cancel = useTranslations('common')('cancel');
  const [choice, setChoice] = useState('change');
  return (
    <section className="publish-part">
      <RadioGroup className="publish-which" value={choice} onChange={setChoice}>
        <h2>{t('which', { name: application.name })}</h2>
        <Radio value="change">{t('whichChange', { name: application.name, id: application.id })}</Radio>
        <Radio value="new">{t('whichNew')}</Radio>
      </RadioGroup>
      <div className="dialog-actions">
        <Button
          className="button primary"
          onPress={() => onChosen(choice === 'new' ? document : { ...document, id: application.id })}
        >
          {t('goOn')}
        </Button>
        <Button className="button" onPress={onCancel}>
          {cancel}
        </Button>
      </div>
    </section>
  );
}
