// The users of an application: find, create, disable, set passwords, and name as operators of the server.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Input, SearchField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { ManagementUser } from '../../api/client.ts';
import type { PublishedDocument } from '../../api/operated-shapes.ts';
import {
  type CreatedUser,
  operatedUsersQuery,
  operatorsQuery,
  setOperatedUserDisabled,
} from '../../api/operated-users.ts';
import { useOperatorAccess } from '../../api/operator.ts';
import { useDebounced } from '../../frame/debounced.ts';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { usePeopleProblem } from '../../people/people-problem.ts';
import { RIGHTS } from '../../people/rights.ts';
import { EnterAs } from './FirstUser.tsx';
import { NewUserDialog } from './NewUserDialog.tsx';
import { OperatorButton } from './OperatorButton.tsx';
import { PasswordDialog } from './PasswordDialog.tsx';
import '../../people/people.css';

export function UsersPanel({ document }: { readonly document: PublishedDocument }) {
  const t = useTranslations('operate.users');
  const right = useTranslations('people.short');
  const problemOf = usePeopleProblem();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [entering, setEntering] = useState<CreatedUser>();
  const [said, setSaid] = useState<{ text: string; wrong: boolean }>();
  const access = useOperatorAccess();
  const hasKey = access !== undefined && 'key' in access;
  const named = useQuery(operatorsQuery).data?.filter(({ application }) => application.id === document.id);
  const users = useInfiniteQuery(operatedUsersQuery(document.id, useDebounced(text.trim())));
  if (users.isError) return <ProblemPage error={users.error} reset={() => void users.refetch()} />;
  const found = users.data?.pages.flat() ?? [];
  const renew = (message: string) => {
    setSaid({ text: message, wrong: false });
    void queries.invalidateQueries({ queryKey: ['operator', 'users', document.id] });
    void queries.invalidateQueries({ queryKey: operatorsQuery.queryKey });
  };

  const isFirst = users.isSuccess && text === '' && found.length === 0;
  const onCreated = (user: CreatedUser) => {
    // Those who work in an application are not signed in anew as somebody else.
    if (isFirst) setEntering(user);
    renew(isFirst ? '' : t('created', { name: user.name }));
  };

  async function toggle({ id, disabled }: ManagementUser): Promise<void> {
    try {
      await setOperatedUserDisabled(document, id, !disabled);
      renew(t('done'));
    } catch (error) {
      setSaid({ text: problemOf(error).text, wrong: true });
    }
  }

  return (
    <div className="operate-part">
      <div className="operate-head">
        <SearchField aria-label={t('find')} className="operate-find first" value={text} onChange={setText}>
          <Input className="input" placeholder={t('find')} />
        </SearchField>
        <NewUserDialog document={document} isFirst={isFirst} onCreated={onCreated} />
      </div>
      <p
        role={said?.wrong === true ? 'alert' : 'status'}
        className={said?.wrong === true ? 'message wrong' : 'message'}
      >
        {said?.text}
      </p>
      {entering !== undefined && <EnterAs application={document.id} user={entering} />}
      {users.isSuccess && found.length === 0 && <p className="empty">{t(text === '' ? 'nobody' : 'noMatch')}</p>}
      {found.length > 0 && (
        <div className="operate-scroller">
          <table className="operate-table">
            <thead>
              <tr>
                <th scope="col">{t('name')}</th>
                <th scope="col">{t('email')}</th>
                <th scope="col">{t('profile')}</th>
                <th scope="col">{t('rights')}</th>
                <th scope="col">
                  <span className="unseen">{t('setPassword')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((user) => {
                const isOperator = named?.some(({ user: { id } }) => id === user.id) === true;
                return (
                  <tr key={user.id} className={user.disabled ? 'off' : undefined}>
                    <th scope="row">
                      {user.name}
                      {user.disabled && <span className="hint"> ({t('disabled')})</span>}
                    </th>
                    <td>{user.email}</td>
                    <td>
                      {user.profile.name}
                      {user.team !== undefined && ` · ${user.team.name}`}
                    </td>
                    <td>
                      {[
                        ...RIGHTS.filter((each) => user[each]).map((each) => right(each)),
                        ...(isOperator ? [t('operator')] : []),
                      ].join(', ')}
                    </td>
                    <td className="operate-actions">
                      {hasKey && named !== undefined && (
                        <OperatorButton document={document} user={user} isOperator={isOperator} onDone={renew} />
                      )}
                      {!document.sharedUsersModeEnabled && (
                        <PasswordDialog application={document.id} user={user} onSet={() => renew(t('done'))} />
                      )}
                      <Button
                        className="button quiet"
                        aria-label={t(user.disabled ? 'enableOf' : 'disableOf', { name: user.name })}
                        onPress={() => void toggle(user)}
                      >
                        {t(user.disabled ? 'enable' : 'disable')}
                      </Button>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {!hasKey && <p className="hint">{t('keyNames')}</p>}
          {users.hasNextPage && (
            <Button className="button" isPending={users.isFetchingNextPage} onPress={() => void users.fetchNextPage()}>
              {t('more')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
