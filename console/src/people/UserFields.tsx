// The fields of a user, for a new one and for one that is changed.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Checkbox, FieldError, Input, Label, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { UserGroup } from '../api/client.ts';
import { groupsQuery } from '../api/people.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Manager } from './Managers.tsx';
import type { PeopleProblem } from './people-problem.ts';
import { RightsFields } from './RightsFields.tsx';
import type { UserValues } from './user-form.ts';

interface UserFieldsProps {
  readonly manager: Manager;
  readonly values: UserValues;
  readonly guarded: boolean;
  readonly problem: PeopleProblem | undefined;
  /** What has to be filled in before anything is sent. */
  readonly missing?: readonly PeopleProblem[];
  /** The name: a field of a new user's form only. */
  readonly children?: ReactNode;
  readonly onChange: (changes: Partial<UserValues>) => void;
}

export function UserFields(props: UserFieldsProps) {
  const { manager, values, guarded, problem, missing = [], children, onChange } = props;
  const { application, caller, definition } = manager;
  const t = useTranslations('people');
  const profiles = useQuery(groupsQuery(application, 'profiles')).data;
  const teams = useQuery({ ...groupsQuery(application, 'teams'), enabled: definition.teamsModeEnabled }).data;
  const problemOf = (field: PeopleProblem['field']) =>
    [...missing, problem].find((each) => each?.field === field)?.text;
  return (
    <>
      {children}
      {!definition.sharedUsersModeEnabled && (
        <NamedField
          label={t('email')}
          type="email"
          value={values.email}
          problem={problemOf('email')}
          isRequired
          isDisabled={guarded}
          onChange={(email) => onChange({ email })}
        />
      )}
      <GroupChoice
        label={t('profile')}
        value={values.profile}
        groups={profiles}
        problem={problemOf('profile')}
        onChange={(profile) => onChange({ profile })}
      />
      {definition.teamsModeEnabled && (
        <>
          <GroupChoice
            label={t('team')}
            value={values.team}
            groups={teams}
            problem={problemOf('team')}
            onChange={(team) => onChange({ team })}
          />
          <Checkbox
            className="right-choice"
            isSelected={values.teamLeader}
            onChange={(teamLeader) => onChange({ teamLeader })}
          >
            <span className="right-name">{t('teamLeader')}</span>
          </Checkbox>
        </>
      )}
      <RightsFields caller={caller} rights={values} guarded={guarded} onChange={onChange} />
    </>
  );
}

interface NamedFieldProps {
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly value: string;
  readonly hint?: string;
  readonly problem: string | undefined;
  /** Marked; the form itself says what is missing. */
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly onChange: (text: string) => void;
}

export function NamedField({ label, hint, problem, autoComplete = 'off', type, ...rest }: NamedFieldProps) {
  return (
    <TextField
      className="field"
      type={type}
      autoComplete={autoComplete}
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      {...rest}
    >
      <Label>{label}</Label>
      <Input className="input" />
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-problem">{problem}</FieldError>
    </TextField>
  );
}

interface GroupChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly groups: readonly UserGroup[] | undefined;
  readonly problem: string | undefined;
  readonly onChange: (name: string) => void;
}

/** One that is no longer published cannot be stored again, so it is said before the server says it. */
function GroupChoice({ label, value, groups = [], problem, onChange }: GroupChoiceProps) {
  const t = useTranslations('people');
  const removed = groups.some((group) => group.name === value && group.removed === true);
  const options = groups.filter((group) => group.removed !== true || group.name === value);
  return (
    <Choice
      label={label}
      value={value}
      options={options.map((group) => ({
        id: group.name,
        name: group.removed === true ? t('removedGroup', { name: group.name }) : group.name,
      }))}
      placeholder={t('choose')}
      isRequired
      problem={problem ?? (removed ? t('removedHint') : undefined)}
      onChange={onChange}
    />
  );
}
