// Whom a notification goes to: people and teams, found by typing, shown as tags.

import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Session, User } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { type Team, teamsQuery } from '../api/notifications.ts';
import { devicesQuery } from '../api/own.ts';
import { usePeople } from '../api/users.ts';
import { Finder } from '../values/edit/Finder.tsx';
import { PersonName } from '../values/show/user.tsx';

interface ReceiversProps {
  readonly application: string;
  readonly session: Session;
  readonly people: readonly User[];
  readonly teams: readonly Team[];
  readonly problem: string | undefined;
  readonly onChange: (chosen: { readonly people: readonly User[]; readonly teams: readonly Team[] }) => void;
}

const TEAM = 'team:';

export function Receivers({ application, session, people, teams, problem, onChange }: ReceiversProps) {
  const t = useTranslations('notifications');
  const [text, setText] = useState('');
  // A new field for the next person: the control would keep the name of the one before.
  const [round, setRound] = useState(0);
  const hasTeams = useQuery(definitionQuery(application)).data?.teamsModeEnabled === true;
  const withTeams = hasTeams && session.managementApiAccess;
  const allTeams = useQuery({ ...teamsQuery(application), enabled: withTeams }).data ?? [];
  const users = usePeople(application, text, true);
  const words = text.trim().toLocaleLowerCase();
  const chosenIds = new Set([...people.map(({ id }) => id), ...teams.map(({ name }) => TEAM + name)]);
  const foundTeams = allTeams.filter(({ name }) => name.toLocaleLowerCase().includes(words));
  const found = [
    ...foundTeams.map(({ name, members }) => ({
      id: TEAM + name,
      name: t('team', { name }),
      shown: (
        <span className="receiver-team">
          {t('team', { name })} <span className="hint">{t('members', { count: members.length })}</span>
        </span>
      ),
    })),
    ...users.map((person) => ({ ...person, shown: <PersonName person={person} /> })),
  ].filter(({ id }) => !chosenIds.has(id));

  function choose(id: string): void {
    const team = allTeams.find(({ name }) => TEAM + name === id);
    const person = users.find((user) => user.id === id);
    if (team !== undefined) onChange({ people, teams: [...teams, team] });
    else if (person !== undefined) onChange({ people: [...people, person], teams });
    setText('');
    setRound(round + 1);
  }

  const tags = [
    ...teams.map(({ name, members }) => ({
      id: TEAM + name,
      name: `${t('team', { name })} (${t('members', { count: members.length })})`,
    })),
    ...people,
  ];
  return (
    <div className="receivers">
      <Finder
        key={round}
        label={t('to')}
        placeholder={t(withTeams ? 'findOrTeam' : 'find')}
        problem={problem}
        text={text}
        onText={setText}
        found={found}
        chosen={undefined}
        onChoose={({ id }) => choose(id)}
        onClear={() => undefined}
      />
      {tags.length > 0 && (
        <TagGroup
          className="receiver-tags"
          onRemove={(keys) =>
            onChange({
              people: people.filter(({ id }) => !keys.has(id)),
              teams: teams.filter(({ name }) => !keys.has(TEAM + name)),
            })
          }
        >
          <Label className="unseen">{t('receivers')}</Label>
          <TagList items={tags} className="receiver-list">
            {({ id, name }) => (
              <Tag id={id} textValue={name} className="receiver">
                <span className="receiver-name">{name}</span>
                <Button slot="remove" className="receiver-remove" aria-label={t('remove', { name })}>
                  ×
                </Button>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
    </div>
  );
}

/** Asking for the devices of more people would be many requests. */
const LOOKED_UP_MAX = 25;

/** How many of them a notification can reach, before it is sent. */
export function Reach({ application, people }: { readonly application: string; readonly people: readonly User[] }) {
  const t = useTranslations('notifications');
  const few = people.length <= LOOKED_UP_MAX ? people : [];
  const devices = useQueries({ queries: few.map(({ id }) => devicesQuery(application, id)) });
  if (few.length === 0 || !devices.every(({ isSuccess }) => isSuccess)) return null;
  const without = few.filter((_, index) => devices[index]?.data?.length === 0);
  return (
    <p className="hint" role="status">
      {t('reach', { reached: few.length - without.length })}{' '}
      {without.length > 0 && t('noDevice', { names: without.map(({ name }) => name).join(', ') })}
    </p>
  );
}
