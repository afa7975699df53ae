// What the definition says of the application itself, and of its people.

import { useTranslations } from 'use-intl';
import { DEFAULTS, PLANS, type Plan, QUOTA_GROUPS } from '../../../src/wire/publish-document.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Settings } from './design.ts';
import { withSettings } from './edits.ts';
import { Flag, Section, TextInput } from './fields.tsx';
import { lineNumber, linesOf, textOfLines } from './lines.ts';
import type { Designing } from './use-design.ts';
import { useFindingSentence } from './use-finding-sentence.ts';

export function SettingsPart({ designing }: { readonly designing: Designing }) {
  const t = useTranslations('design');
  const sentence = useFindingSentence();
  const { design, problems, change } = designing;
  const { settings } = design;
  const set = (to: Partial<Settings>, field?: string) => change(withSettings(design, to), field);
  const problemAt = (member: string) => sentence(problems.at(`/${member}`));
  const teamsProblem = problemAt('teams');

  const text = (member: 'name' | 'organization' | 'timeZone', hint?: string) => ({
    label: t(member),
    value: settings[member] ?? DEFAULTS[member as 'organization'],
    onChange: (value: string) => set({ [member]: value }, member),
    problem: problemAt(member),
    ...(hint === undefined ? {} : { hint }),
  });
  const flag = (member: Switch) => ({
    isSelected: settings[member] ?? DEFAULTS.switch,
    onChange: (selected: boolean) => set({ [member]: selected }),
    problem: problemAt(member),
  });
  const list = (member: 'profiles' | 'teams' | 'allowedOrigins', hint: string) => {
    const lines = settings[member] ?? (member === 'profiles' ? [DEFAULTS.profile] : []);
    const wrong = lines.findIndex((_, index) => problems.has(`/${member}/${index}`));
    const own = problemAt(member);
    const ofLine = sentence(problems.at(`/${member}/${wrong}`));
    return {
      value: textOfLines(lines),
      onChange: (value: string) => set({ [member]: linesOf(value) }, member),
      problem: ofLine === undefined ? own : t('line', { number: lineNumber(lines, wrong), problem: ofLine }),
      hint,
      lines: Math.min(10, Math.max(3, lines.length + 1)),
    };
  };

  return (
    <div className="design-settings">
      <Section title={t('about')}>
        <TextInput {...text('name')} />
        <TextInput {...text('organization', t('organizationHint'))} />
        <TextInput {...text('timeZone', t('timeZoneHint'))} />
        <p className="hint">
          {t('id')}: {settings.id === undefined ? t('idAssigned') : <code>{settings.id}</code>}
        </p>
      </Section>
      <Section title={t('people')}>
        <Flag {...flag('teamsModeEnabled')} label={t('teamsMode')} hint={t('teamsModeHint')} />
        {((settings.teamsModeEnabled ?? false) || (settings.teams ?? []).length > 0 || teamsProblem !== undefined) && (
          <TextInput {...list('teams', t('onePerLine'))} label={t('teams')} />
        )}
        <TextInput {...list('profiles', t('onePerLine'))} label={t('profiles')} />
        <Flag {...flag('sharedUsersModeEnabled')} label={t('sharedUsers')} hint={t('sharedUsersHint')} />
      </Section>
      <Section title={t('features')}>
        <Flag {...flag('activityLogEnabled')} label={t('activity')} hint={t('activityHint')} />
        <Flag {...flag('pushNotificationsEnabled')} label={t('push')} hint={t('pushHint')} />
        <WholeNumber
          label={t('maxAttachment')}
          value={settings.maxAttachmentBytes ?? DEFAULTS.maxAttachmentBytes}
          onChange={(bytes) => set({ maxAttachmentBytes: bytes ?? DEFAULTS.maxAttachmentBytes }, 'maxAttachmentBytes')}
          problem={problemAt('maxAttachmentBytes')}
        />
        <TextInput {...list('allowedOrigins', t('originsHint'))} label={t('origins')} />
      </Section>
      <Section title={t('plan')}>
        <Choice
          isInline
          label={t('plan')}
          value={settings.plan ?? DEFAULTS.plan}
          options={PLANS.map((id) => ({ id, name: t(`plans.${id}`) }))}
          onChange={(id) => set({ plan: id as Plan })}
        />
        <h3 className="design-limits-title">{t('limits')}</h3>
        <div className="design-limits">
          {QUOTA_GROUPS.map((group) => (
            <WholeNumber
              key={group}
              label={t(`groups.${group}`)}
              value={settings.limits?.[group]}
              onChange={(limit) => {
                const { [group]: _, ...others } = settings.limits ?? {};
                set({ limits: limit === undefined ? others : { ...others, [group]: limit } }, `limit ${group}`);
              }}
              problem={problemAt(`limits/${group}`)}
            />
          ))}
        </div>
      </Section>
    </div>
  );
}

type Switch = 'teamsModeEnabled' | 'sharedUsersModeEnabled' | 'activityLogEnabled' | 'pushNotificationsEnabled';

interface WholeNumberProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
  readonly problem: string | undefined;
}

/** Digits alone: what else is typed is left out. */
function WholeNumber({ label, value, onChange, problem }: WholeNumberProps) {
  return (
    <TextInput
      label={label}
      value={value === undefined ? '' : String(value)}
      onChange={(text) => {
        const digits = text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, 15);
        onChange(digits === '' ? undefined : Number(digits));
      }}
      problem={problem}
      inputMode="numeric"
    />
  );
}
