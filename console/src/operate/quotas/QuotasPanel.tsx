// The plan and the limits of an application with their use in this hour, and how to change them.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Input, NumberField } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { changeQuotas, quotasQuery } from '../../api/operated.ts';
import { PLANS, type Quotas } from '../../api/operated-shapes.ts';
import { ProblemPage } from '../../frame/ProblemPage.tsx';
import { useSentence } from '../../messages/problem.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { Use } from './Use.tsx';
import { type GroupKey, useGroupName } from './use-group-name.ts';
import './quotas.css';

export function QuotasPanel({ application }: { readonly application: string }) {
  const quotas = useQuery(quotasQuery(application));
  if (quotas.data === undefined) {
    return quotas.isPending ? (
      <div aria-busy="true" />
    ) : (
      <ProblemPage error={quotas.error} reset={() => void quotas.refetch()} />
    );
  }
  return <Loaded application={application} quotas={quotas.data} />;
}

/** The largest limit that the server takes. */
const LIMIT_MAX = 1_000_000_000;

function Loaded({ application, quotas }: { readonly application: string; readonly quotas: Quotas }) {
  const t = useTranslations('quotas');
  const format = useFormatter();
  const sentence = useSentence();
  const queries = useQueryClient();
  const groupName = useGroupName();
  /** Undefined: as it is stored. */
  const [plan, setPlan] = useState<string>();
  const [limits, setLimits] = useState<Readonly<Record<string, number | null>>>({});
  const [said, setSaid] = useState<{ text: string; wrong: boolean }>();
  const [busy, setBusy] = useState(false);
  const isChanged = plan !== undefined || Object.keys(limits).length > 0;

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setSaid(undefined);
    try {
      const next = await changeQuotas(application, { plan: plan ?? quotas.plan, limits });
      queries.setQueryData(quotasQuery(application).queryKey, next);
      void queries.invalidateQueries({ queryKey: ['operator', 'applications'] });
      void queries.invalidateQueries({ queryKey: ['operator', 'published', application] });
      setPlan(undefined);
      setLimits({});
      setSaid({ text: t('saved'), wrong: false });
    } catch (error) {
      setSaid({ text: sentence(error), wrong: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className="quotas" onSubmit={save} noValidate>
      <div className="quotas-plan">
        <Choice
          isInline
          label={t('plan')}
          value={plan ?? quotas.plan}
          options={PLANS.map((id) => ({ id, name: t(`plans.${id}`) }))}
          onChange={(id) => setPlan(id === quotas.plan ? undefined : id)}
        />
        <span className="hint">
          {t('resets', { time: format.dateTime(new Date(quotas.resetsAt), { timeStyle: 'short' }) })}
        </span>
      </div>
      <div className="operate-scroller">
        <table className="operate-table quotas-table">
          <thead>
            <tr>
              <th scope="col">{t('group')}</th>
              <th scope="col">{t('used')}</th>
              <th scope="col">{t('perHour')}</th>
              <th scope="col">{t('from')}</th>
            </tr>
          </thead>
          <tbody>
            {quotas.groups.map((each) => {
              const { group, inPlan, limit, source } = each;
              const set = source === 'set' ? limit : null;
              const shown = group in limits ? limits[group] : set;
              return (
                <tr key={group}>
                  <th scope="row">{groupName(group as GroupKey)}</th>
                  <td>
                    <Use {...each} />
                  </td>
                  <td>
                    <NumberField
                      aria-label={t('limitOf', { group: groupName(group as GroupKey) })}
                      minValue={0}
                      maxValue={LIMIT_MAX}
                      step={1}
                      value={shown ?? Number.NaN}
                      onChange={(value) => change(group, Number.isNaN(value) ? null : value, set)}
                    >
                      <Input className="input quotas-limit" placeholder={placeholder(inPlan, source, limit)} />
                    </NumberField>
                  </td>
                  <td className="hint">{t(source === 'set' ? 'fromSet' : inPlan ? 'fromPlan' : 'notInPlan')}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="hint">{t('emptyHint')}</p>
      <p
        role={said?.wrong === true ? 'alert' : 'status'}
        className={said?.wrong === true ? 'message wrong' : 'message'}
      >
        {said?.text}
      </p>
      <div className="dialog-actions">
        <Button type="submit" className="button primary" isDisabled={!isChanged} isPending={busy}>
          {t('save')}
        </Button>
        {isChanged && (
          <Button
            className="button"
            onPress={() => {
              setPlan(undefined);
              setLimits({});
            }}
          >
            {t('discard')}
          </Button>
        )}
      </div>
      <p className="hint">{t('laterHint')}</p>
    </form>
  );

  function change(group: string, value: number | null, stored: number | null): void {
    setSaid(undefined);
    setLimits(({ [group]: _before, ...others }) => (value === stored ? others : { ...others, [group]: value }));
  }

  function placeholder(inPlan: boolean, source: 'plan' | 'set' | null, limit: number | null): string {
    if (source === 'plan' && limit !== null) return format.number(limit);
    return inPlan ? t('noLimit') : t('none');
  }
}
