// The form of one collection.

import { Button } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { isReferenceType } from '../../../src/domain/definition/references.ts';
import type { AccessType } from '../../../src/wire/applications.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Design, DesignedCollection } from './design.ts';
import { TextInput } from './fields.tsx';
import type { ProblemPlaces } from './problem-places.ts';
import { useFindingSentence } from './use-finding-sentence.ts';

interface CollectionFormProps {
  readonly design: Design;
  readonly collection: DesignedCollection;
  readonly path: string;
  readonly problems: ProblemPlaces;
  readonly isNew: boolean;
  readonly onChange: (change: Partial<DesignedCollection>, field?: string) => void;
  readonly onRemove: () => void;
  readonly onNext: () => void;
}

export function CollectionForm(props: CollectionFormProps) {
  const { design, collection, path, problems, isNew, onChange, onRemove, onNext } = props;
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const access = (['everyone', 'creatorOnly'] as const).map((id) => ({ id, name: t(id) }));
  const referring = design.collections
    .filter(({ key }) => key !== collection.key)
    .flatMap(({ columns }) => columns)
    .filter(({ type, refers }) => isReferenceType(type) && refers?.collection === collection.key).length;
  const problem = sentence(problems.at(`${path}/columns`) ?? problems.at(path));
  return (
    <form className="design-form" aria-label={t('editCollection')} onSubmit={(event) => event.preventDefault()}>
      <TextInput
        label={t('name')}
        value={collection.name}
        onChange={(name) => onChange({ name }, `${collection.key} name`)}
        problem={sentence(problems.at(`${path}/name`))}
        autoFocus={isNew}
        onEnter={onNext}
      />
      {problem !== undefined && (
        <p className="message wrong" role="alert">
          {problem}
        </p>
      )}
      <Choice
        isInline
        label={t('readAccess')}
        value={collection.readAccessType}
        options={access}
        onChange={(id) => onChange({ readAccessType: id as AccessType })}
      />
      <Choice
        isInline
        label={t('writeAccess')}
        value={collection.writeAccessType}
        options={access}
        onChange={(id) => onChange({ writeAccessType: id as AccessType })}
      />
      <p className="hint">
        {t('id')}: {collection.id === undefined ? t('idAssigned') : <code>{collection.id}</code>}
      </p>
      {referring > 0 && <p className="hint">{t('removedReferences', { count: referring })}</p>}
      <div className="dialog-actions">
        <Button className="button design-remove" onPress={onRemove}>
          {t('removeCollection')}
        </Button>
      </div>
    </form>
  );
}
