// Writes a notification: to whom, what, how it will look, and how the sending goes.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, Checkbox, FieldError, Form, Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { clientOf, type Session } from '../api/client.ts';
import { sentQuery } from '../api/notifications.ts';
import { useSentence } from '../messages/problem.ts';
import { type KeptDraft, keep, NOTHING_KEPT, readKept, receiversOf } from './kept-draft.ts';
import { BODY_MAX, type Draft, lengthOf, problemsOf, RECEIVERS_MAX, requestOf, TITLE_MAX } from './message.ts';
import { Preview } from './Preview.tsx';
import { Reach, Receivers } from './Receivers.tsx';
import { type Failed, newKey, sendToAll } from './sending.ts';

interface ComposeProps {
  readonly application: string;
  readonly name: string;
  readonly session: Session;
}

export function Compose({ application, name, session }: ComposeProps) {
  const t = useTranslations('notifications');
  const sentence = useSentence();
  const queries = useQueryClient();
  const userId = session.user.id;
  const [kept, setKept] = useState(() => readKept(application, userId));
  const [tried, setTried] = useState(false);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [sentTo, setSentTo] = useState<number>();
  const [running, setRunning] = useState<AbortController>();
  const latest = useRef(kept);
  useEffect(() => () => running?.abort(), [running]);

  function change(next: KeptDraft): void {
    latest.current = next;
    setKept(next);
    keep(application, userId, next);
  }
  /** Another message, or other people: a sending of its own. */
  function write(changes: Partial<KeptDraft>): void {
    setSentTo(undefined);
    const { draft, people, teams } = { ...latest.current, ...changes };
    change({ draft, people, teams });
  }
  const edit = (changes: Partial<Draft>) => write({ draft: { ...latest.current.draft, ...changes } });

  const { draft, people, teams, begun } = kept;
  const receivers = receiversOf(kept);
  const left = receivers.filter(({ id }) => begun?.sent.includes(id) !== true);
  const problems = problemsOf(draft);
  const toProblem =
    receivers.length === 0 && tried
      ? t('enterReceivers')
      : receivers.length > RECEIVERS_MAX
        ? t('tooMany', { most: RECEIVERS_MAX })
        : undefined;

  async function send(): Promise<void> {
    setTried(true);
    if (problems.size > 0 || receivers.length === 0 || receivers.length > RECEIVERS_MAX) return;
    const key = begun?.key ?? newKey();
    const stop = new AbortController();
    setRunning(stop);
    setFailed([]);
    change({ ...kept, begun: { key, sent: begun?.sent ?? [] } });
    const notSent = await sendToAll(clientOf(application), {
      key,
      message: requestOf(draft),
      people: left,
      signal: stop.signal,
      onSent: ({ id }) => {
        const { begun: before } = latest.current;
        change({ ...latest.current, begun: { key, sent: [...(before?.sent ?? []), id] } });
      },
    });
    setRunning(undefined);
    setFailed(notSent);
    const done = latest.current.begun?.sent.length ?? 0;
    if (done === receivers.length) {
      change(NOTHING_KEPT);
      setTried(false);
      setSentTo(done);
    }
    await queries.invalidateQueries({ queryKey: sentQuery(application).queryKey });
  }

  const busy = running !== undefined;
  return (
    <section className="compose" aria-labelledby="compose-title">
      <Form
        className="compose-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void send();
        }}
      >
        <h2 id="compose-title">{t('write')}</h2>
        <Receivers
          application={application}
          session={session}
          people={people}
          teams={teams}
          problem={toProblem}
          onChange={write}
        />
        <Reach application={application} people={receivers} />
        <Counted
          label={t('heading')}
          hint={t('headingHint')}
          value={draft.title}
          most={TITLE_MAX}
          problem={undefined}
          onChange={(title) => edit({ title })}
        />
        <Counted
          label={t('body')}
          long
          value={draft.body}
          most={BODY_MAX}
          problem={tried && draft.body.trim() === '' ? t('enterBody') : undefined}
          onChange={(body) => edit({ body })}
        />
        <TextField
          className="field"
          value={draft.url}
          onChange={(url) => edit({ url: url.trim() })}
          isInvalid={problems.has('url')}
          inputMode="url"
        >
          <Label>{t('link')}</Label>
          <Input className="input" placeholder="https://" spellCheck="false" />
          <Text slot="description" className="hint">
            {t('linkHint')}
          </Text>
          <FieldError className="field-problem">{t('badLink')}</FieldError>
        </TextField>
        <Checkbox className="compose-sound" isSelected={draft.sound} onChange={(sound) => edit({ sound })}>
          <span className="compose-box" aria-hidden="true" />
          {t('sound')}
        </Checkbox>
        {failed.map(({ person, error }) => (
          <p key={person.id} role="alert" className="message wrong">
            {t('problem', { name: person.name, reason: sentence(error) })}
          </p>
        ))}
        {begun !== undefined && !busy && (
          <p className="message" role="status">
            {t('interrupted', { done: begun.sent.length, all: receivers.length })}
          </p>
        )}
        <p className="message" role="status">
          {sentTo !== undefined && t('sent', { count: sentTo })}
        </p>
        <div className="compose-actions">
          {busy ? (
            <>
              <span role="status">{t('sending', { done: receivers.length - left.length, all: receivers.length })}</span>
              <Button className="button" onPress={() => running.abort()}>
                {t('stop')}
              </Button>
            </>
          ) : (
            <Button type="submit" className="button primary">
              {begun === undefined ? t('send', { count: receivers.length }) : t('resume', { count: left.length })}
            </Button>
          )}
        </div>
      </Form>
      <Preview name={name} draft={draft} />
    </section>
  );
}

interface CountedProps {
  readonly label: string;
  readonly hint?: string;
  readonly long?: boolean;
  readonly value: string;
  readonly most: number;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A text with the characters that are left, once they become few. */
function Counted({ label, hint, long = false, value, most, problem, onChange }: CountedProps) {
  const t = useTranslations('notifications');
  const left = most - lengthOf(value);
  const wrong = left < 0 ? t('over', { count: -left }) : problem;
  return (
    <TextField className="field" value={value} onChange={onChange} isInvalid={wrong !== undefined}>
      <Label>{label}</Label>
      {long ? <TextArea className="input compose-body" rows={4} /> : <Input className="input" />}
      {(hint !== undefined || left < most / 4) && (
        <Text slot="description" className="hint">
          {left >= 0 && left < most / 4 ? t('left', { count: left }) : hint}
        </Text>
      )}
      <FieldError className="field-problem">{wrong}</FieldError>
    </TextField>
  );
}
