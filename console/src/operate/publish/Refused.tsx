// Why a document was not published, in words, and what to do.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { CartularyError } from '../../api/client.ts';
import type { OperatedCollection } from '../../api/operated-shapes.ts';
import { useSentence } from '../../messages/problem.ts';

interface RefusedProps {
  readonly error: unknown;
  readonly collections: readonly OperatedCollection[];
  readonly onCheckAgain: () => void;
  readonly onCancel: () => void;
}

export function Refused({ error, collections, onCheckAgain, onCancel }: RefusedProps) {
  const t = useTranslations('publish');
  const sentence = useSentence();
  const code = error instanceof CartularyError ? error.code : '';
  const params = error instanceof CartularyError ? error.params : {};
  return (
    <section className="publish-part">
      <p role="alert" className="message wrong">
        {headline()}
      </p>
      {code === 'INVALID_DEFINITION' && <Problems problems={listIn<Problem>(params.problems)} />}
      {code === 'UNIQUE_COLLISION' && (
        <Collisions collisions={listIn<Collision>(params.collisions)} collections={collections} />
      )}
      <div className="dialog-actions">
        <Button className="button primary" onPress={onCancel}>
          {t('another')}
        </Button>
        <Button className="button" onPress={onCheckAgain}>
          {t('checkAgain')}
        </Button>
      </div>
    </section>
  );

  function headline(): string {
    if (code === 'INVALID_DEFINITION') return t('invalid');
    if (code === 'UNIQUE_COLLISION') return t('collides');
    if (code === 'WOULD_LOSE_DATA') return t('losesNow');
    if (code === 'MODE_HAS_USERS') return t('modeHasUsers', { users: Number(params.users ?? 0) });
    return sentence(error);
  }
}

const listIn = <T,>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as T[]) : []);

interface Problem {
  readonly path: string;
  readonly reason: string;
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <ul className="publish-problems">
      {problems.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          <code>{path === '' ? '/' : path}</code> <span lang="en">{reason}</span>
        </li>
      ))}
    </ul>
  );
}

interface Collision {
  readonly collectionId: string;
  readonly columnId: string;
  readonly value: unknown;
  readonly recordIds: readonly string[];
}

function Collisions({
  collisions,
  collections,
}: {
  readonly collisions: readonly Collision[];
  readonly collections: readonly OperatedCollection[];
}) {
  return (
    <ul className="publish-problems">
      {collisions.map(({ collectionId, columnId, value, recordIds }) => {
        const collection = collections.find(({ id }) => id === collectionId);
        const column = collection?.columns.find(({ id }) => id === columnId);
        return (
          <li key={`${columnId} ${recordIds.join(' ')}`}>
            {collection?.name ?? collectionId} › {column?.name ?? columnId}: <strong>{plain(value)}</strong>{' '}
            <code>{recordIds.join(', ')}</code>
          </li>
        );
      })}
    </ul>
  );
}

/** Values of records are wrapped by their type. */
function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [first] = Object.values(value);
  return typeof first === 'string' || typeof first === 'number' ? String(first) : JSON.stringify(value);
}
