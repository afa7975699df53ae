// A design: its parts, undo and redo, what has to be mended, and the document as a file.

import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { isShortcut, useKey } from '../frame/keys.ts';
import { Mark } from '../frame/Mark.tsx';
import { Offline } from '../frame/Offline.tsx';
import { saveBlob } from '../moving/save-blob.ts';
import { CollectionsPart } from './CollectionsPart.tsx';
import { DiagramPart } from './DiagramPart.tsx';
import { documentOf } from './design.ts';
import { type DesignAddress, PARTS } from './design-address.ts';
import { type KeptDraft, keptDraft } from './drafts.ts';
import { ProblemList } from './ProblemList.tsx';
import { PublishPart } from './PublishPart.tsx';
import { SettingsPart } from './SettingsPart.tsx';
import { type Designing, useDesign } from './use-design.ts';
import './design.css';

interface DesignPageProps {
  readonly draft: string;
  readonly address: DesignAddress;
}

export function DesignPage({ draft, address }: DesignPageProps) {
  const t = useTranslations('design');
  const kept = useRef(keptDraft(draft)).current;
  if (kept !== undefined) return <Editor draft={draft} address={address} kept={kept} />;
  return (
    <main className="empty design-gone">
      <title>{`${t('title')} – Cartulary`}</title>
      <p>{t('gone')}</p>
      <Link to="/design" className="button">
        {t('back')}
      </Link>
    </main>
  );
}

function Editor({ draft, address, kept }: DesignPageProps & { readonly kept: KeptDraft }) {
  const t = useTranslations('design');
  const designing = useDesign(draft, kept);
  const { design, undo, redo } = designing;
  const { part = 'collections', ...chosen } = address;
  const navigate = useNavigate();
  const go = (search: DesignAddress, replace = false) =>
    void navigate({ to: '/design/$draft', params: { draft }, search, replace });
  useKey((event) => isShortcut(event, 'z') && !event.shiftKey, undo);
  useKey((event) => isShortcut(event, 'y') || (isShortcut(event, 'z') && event.shiftKey), redo);
  const name = design.settings.name.trim() === '' ? t('untitled') : design.settings.name;
  // The page that asks for the key is a whole one.
  const Main = part === 'publish' ? 'div' : 'main';
  return (
    <div className="design">
      <title>{`${name} – ${t('title')}`}</title>
      <header className="operate-bar design-bar">
        <Link to="/design" className="design-home" aria-label={t('back')}>
          <Mark />
        </Link>
        <strong className="design-name" title={name}>
          <bdi>{name}</bdi>
        </strong>
        <nav aria-label={t('parts')}>
          {PARTS.map((each) => (
            <Link
              key={each}
              to="/design/$draft"
              params={{ draft }}
              search={{ ...chosen, ...(each === 'collections' ? {} : { part: each }) }}
              className={`rail-link ${each === part ? 'active' : ''}`}
              aria-current={each === part ? 'page' : undefined}
              activeProps={{}}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {t(each)}
            </Link>
          ))}
        </nav>
        <Actions designing={designing} name={name} draft={draft} />
      </header>
      <Offline />
      {!designing.kept && (
        <p role="alert" className="message wrong">
          {t('notKept')}
        </p>
      )}
      <Main className="design-main">
        {Main === 'main' && <h1 className="unseen">{`${name}: ${t(part)}`}</h1>}
        {part === 'collections' && (
          <CollectionsPart designing={designing} chosen={chosen} onChoose={(next) => go(next, true)} />
        )}
        {part === 'diagram' && (
          <DiagramPart draft={draft} design={design} onChoose={(collection) => go({ collection })} />
        )}
        {part === 'application' && <SettingsPart designing={designing} />}
        {part === 'publish' && <PublishPart draft={draft} designing={designing} />}
      </Main>
    </div>
  );
}

interface ActionsProps {
  readonly designing: Designing;
  readonly name: string;
  readonly draft: string;
}

function Actions({ designing, name, draft }: ActionsProps) {
  const t = useTranslations('design');
  const { design, problems, canUndo, canRedo, undo, redo } = designing;
  const count = problems.all.length;
  const download = () => {
    const text = `${JSON.stringify(documentOf(design), undefined, 2)}\n`;
    saveBlob(new Blob([text], { type: 'application/json' }), `${fileName(name)}.json`);
  };
  return (
    <div className="design-actions">
      <DialogTrigger>
        <Button
          className={count === 0 ? 'button quiet design-fine' : 'button quiet design-wrong'}
          isDisabled={count === 0}
        >
          <span role="status">{t('problems', { count })}</span>
        </Button>
        <Popover className="popover design-problems">
          <Dialog aria-label={t('problemsTitle')}>
            {({ close }) => <ProblemList draft={draft} designing={designing} onFollow={close} />}
          </Dialog>
        </Popover>
      </DialogTrigger>
      <Button className="button icon" aria-label={t('undo')} isDisabled={!canUndo} onPress={undo}>
        ↶
      </Button>
      <Button className="button icon" aria-label={t('redo')} isDisabled={!canRedo} onPress={redo}>
        ↷
      </Button>
      <Button className="button" onPress={download}>
        {t('download')}
      </Button>
    </div>
  );
}

/** Without what file systems refuse. */
const fileName = (name: string): string =>
  name
    .replaceAll(/[\p{C}<>:"/\\|?*]+/gu, ' ')
    .trim()
    .slice(0, 80) || 'application';
