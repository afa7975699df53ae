// What would change, before it does. What loses data needs the application's name, typed.

import { useState } from 'react';
import { Button, Input, Label, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { OperatedCollection, PublishReply } from '../../api/operated-shapes.ts';
import { ChangeList } from './ChangeList.tsx';
import { likelyRenames, losesData, namedChanges } from './changes.ts';

interface ReviewProps {
  readonly reply: PublishReply;
  /** The collections as they are published. */
  readonly before: readonly OperatedCollection[];
  readonly isNew: boolean;
  readonly onPublish: (allowDataLoss: boolean) => void;
  readonly onCancel: () => void;
}

export function Review({ reply: { application, changes }, before, isNew, onPublish, onCancel }: ReviewProps) {
  const t = useTranslations('publish');
  const cancel = useTranslations('common')('cancel');
  const [typed, setTyped] = useState('');
  const loses = losesData(changes);
  const { name, version, collections } = application;
  const renames = likelyRenames(changes, before, collections);
  if (changes.length === 0) {
    return (
      <section className="publish-part">
        <p role="status">{t('nothing', { name, version })}</p>
        <div>
          <Button className="button" onPress={onCancel}>
            {t('another')}
          </Button>
        </div>
      </section>
    );
  }
  const isAgreed = !loses || typed.trim() === name.trim();
  return (
    <section className="publish-part" aria-labelledby="publish-review">
      <h2 id="publish-review">{isNew ? t('reviewNew', { name }) : t('review', { name, version })}</h2>
      {loses && (
        <p role="alert" className="message wrong">
          {t('lossWarning')}
        </p>
      )}
      <ChangeList changes={namedChanges(changes, before, collections)} label={t('changes')} />
      {renames.length > 0 && (
        <ul className="message publish-renames">
          {renames.map(({ id, before: former, after, collection }) => (
            <li key={id}>
              {t(collection === undefined ? 'renameCollection' : 'renameColumn', {
                id,
                former,
                after,
                collection: collection ?? '',
              })}
            </li>
          ))}
        </ul>
      )}
      {loses && (
        <TextField className="field publish-consent" value={typed} onChange={setTyped} autoComplete="off">
          <Label>{t('typeName', { name })}</Label>
          <Input className="input" spellCheck="false" />
        </TextField>
      )}
      <div className="dialog-actions">
        <Button
          className={loses ? 'button danger' : 'button primary'}
          isDisabled={!isAgreed}
          onPress={() => onPublish(loses)}
        >
          {t(loses ? 'publishLosing' : 'publish')}
        </Button>
        <Button className="button" onPress={onCancel}>
          {cancel}
        </Button>
      </div>
    </section>
  );
}
