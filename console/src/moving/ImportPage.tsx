// The page that brings the rows of a file into a collection.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { ApplicationDefinition, CollectionDefinition } from '../api/client.ts';
import { collectionOf, definitionQuery } from '../api/definition.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
import { ColumnMapping } from './ColumnMapping.tsx';
import { FileChoice } from './FileChoice.tsx';
import { FileReading } from './FileReading.tsx';
import { useFailureSentence } from './failure-sentence.ts';
import { Outcome, Refused } from './Outcome.tsx';
import { takeOfferedFile } from './offered-files.ts';
import { Preview } from './Preview.tsx';
import { RunProgress } from './RunProgress.tsx';
import { StartBar } from './StartBar.tsx';
import { useImport } from './use-import.ts';
import './moving.css';

interface ImportPageProps {
  readonly application: string;
  readonly collection: string;
}

export function ImportPage({ application, collection: id }: ImportPageProps) {
  const definition = useQuery(definitionQuery(application));
  const session = useQuery(sessionQuery(application));
  const collection = definition.data && collectionOf(definition.data, id);
  if (definition.data === undefined || collection === undefined || session.data == null) {
    return definition.isPending || session.isPending ? null : <NotFound />;
  }
  return <Importer application={definition.data} collection={collection} user={session.data.user.id} />;
}

interface ImporterProps {
  readonly application: ApplicationDefinition;
  readonly collection: CollectionDefinition;
  readonly user: string;
}

function Importer({ application, collection, user }: ImporterProps) {
  const t = useTranslations('moving');
  const sentence = useFailureSentence();
  const importing = useImport({ application, collection: collection.id, user }, collection);
  const { chosen, choices, running, outcome, failure, isReady } = importing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the worker is there
  useEffect(() => {
    const offered = isReady ? takeOfferedFile(application.id, collection.id) : undefined;
    if (offered !== undefined) void importing.choose(offered);
  }, [isReady]);
  return (
    <main className="moving-page">
      <title>{`${t('importTitle', { name: collection.name })} – ${application.name}`}</title>
      <div className="moving-sheet">
        <Link
          to="/$application/$collection"
          params={{ application: application.id, collection: collection.id }}
          search={{}}
        >
          ← {t('back', { name: collection.name })}
        </Link>
        <h1>{t('importTitle', { name: collection.name })}</h1>
        {outcome === undefined && running === undefined && <FileChoice importing={importing} />}
        {failure !== undefined && (
          <p role="alert" className="message wrong">
            {sentence(failure)}
          </p>
        )}
        {running !== undefined && <RunProgress importing={importing} running={running} />}
        {outcome !== undefined && (
          <Outcome application={application.id} collection={collection} importing={importing} outcome={outcome} />
        )}
        <Refused importing={importing} />
        {chosen !== undefined && choices !== undefined && running === undefined && outcome === undefined && (
          <>
            <FileReading importing={importing} look={chosen.look} choices={choices} />
            <ColumnMapping importing={importing} look={chosen.look} choices={choices} collection={collection} />
            <Preview application={application.id} collection={collection} importing={importing} choices={choices} />
            <StartBar importing={importing} look={chosen.look} choices={choices} />
          </>
        )}
      </div>
    </main>
  );
}
