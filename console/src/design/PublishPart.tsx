// Publishing the design: first what has to be mended, then what would change, and after it where to go on.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { PublishReply } from '../api/operated-shapes.ts';
import { applicationsQuery } from '../api/operator.ts';
import { offerFile } from '../moving/offered-files.ts';
import { OperatorEntry } from '../operate/OperatorEntry.tsx';
import { isNewApplication } from '../operate/publish/changes.ts';
import { PublishPanel } from '../operate/publish/PublishPanel.tsx';
import '../operate/operate.css';
import { documentOf } from './design.ts';
import { sourceFiles } from './drafts.ts';
import { ProblemList } from './ProblemList.tsx';
import { publishedDraft } from './published-draft.ts';
import type { Designing } from './use-design.ts';

interface PublishPartProps {
  readonly draft: string;
  readonly designing: Designing;
}

export function PublishPart({ draft, designing }: PublishPartProps) {
  const t = useTranslations('design');
  if (designing.problems.all.length > 0) {
    return (
      <main className="design-publish">
        <h1>{t('publish')}</h1>
        <p>{t('mendFirst')}</p>
        <ProblemList draft={draft} designing={designing} />
      </main>
    );
  }
  return (
    <OperatorEntry why={<p className="message design-key-first">{t('keyFirst')}</p>}>
      <Publish draft={draft} designing={designing} />
    </OperatorEntry>
  );
}

function Publish({ draft, designing }: PublishPartProps) {
  const t = useTranslations('design');
  const { design, version, begin } = designing;
  const document = useMemo(() => documentOf(design), [design]);
  const [published, setPublished] = useState<PublishReply>();
  // What was looked at is what is published: another design is looked at anew.
  const [looked, setLooked] = useState({ design, times: 0 });
  if (looked.design !== design && published === undefined) setLooked({ design, times: looked.times + 1 });
  const present = useQuery(applicationsQuery).data?.find(({ id }) => id === design.settings.id)?.version;

  async function afterPublishing(reply: PublishReply): Promise<void> {
    setPublished(reply);
    const { application } = reply;
    const source = sourceFiles.get(draft);
    const at = design.collections.findIndex(({ key }) => key === source?.collection);
    const collection = application.collections[at];
    if (source !== undefined && collection !== undefined) {
      offerFile({ application: application.id, collection: collection.id, file: source.file });
      sourceFiles.delete(draft);
    }
    // From now on it has all IDs, so that names can change.
    const next = await publishedDraft(application).catch(() => undefined);
    if (next !== undefined) begin(next);
  }

  return (
    <main className="design-publish">
      <h1>{t('publish')}</h1>
      {published === undefined && version !== undefined && present !== undefined && present !== version && (
        <p role="alert" className="message wrong">
          {t('otherVersion', { version: present })}
        </p>
      )}
      <PublishPanel key={looked.times} document={document} onPublished={(reply) => void afterPublishing(reply)} />
      {published !== undefined && !isNewApplication(published) && (
        <Link to="/$application" params={{ application: published.application.id }} className="button design-open">
          {t('openApplication', { name: published.application.name })}
        </Link>
      )}
    </main>
  );
}
