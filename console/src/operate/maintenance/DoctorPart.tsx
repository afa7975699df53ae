// The doctor: compares attachments with their files, says what is wrong, and mends it on demand.

import { useRef, useState } from 'react';
import { Button, Checkbox } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { useSentence } from '../../messages/problem.ts';
import { runDoctor } from './doctor.ts';
import { type DoctorState, type FindingKind, IDLE } from './doctor-state.ts';

export function DoctorPart() {
  const t = useTranslations('maintenance');
  const sentence = useSentence();
  const [hashes, setHashes] = useState(false);
  const [state, setState] = useState<DoctorState>(IDLE);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stopping = useRef(new AbortController());

  async function run(mend: boolean): Promise<void> {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    setRunning(true);
    setProblem(undefined);
    setState(IDLE);
    try {
      await runDoctor({ mend, hashes }, { signal, onState: setState });
    } catch (error) {
      setProblem(signal.aborted ? t('doctorStopped') : sentence(error));
    } finally {
      setRunning(false);
    }
  }

  const { end, refused, stopped } = state;
  const isWrong = state.found > 0;
  return (
    <section className="operate-part" aria-labelledby="doctor">
      <h2 id="doctor">{t('doctor')}</h2>
      <p>{t('doctorHint')}</p>
      <div className="maintenance-row">
        <Button className="button primary" isDisabled={isRunning} onPress={() => void run(false)}>
          {t('doctorStart')}
        </Button>
        {end !== undefined && isWrong && !isRunning && (
          <Button className="button" onPress={() => void run(true)}>
            {t('doctorMend')}
          </Button>
        )}
        {isRunning && (
          <Button className="button" onPress={() => stopping.current.abort()}>
            {t('stop')}
          </Button>
        )}
        <Checkbox className="check" isSelected={hashes} onChange={setHashes} isDisabled={isRunning}>
          {t('doctorHashes')}
        </Checkbox>
      </div>
      <p role="alert" className="message wrong">
        {problem ?? refused ?? stopped}
      </p>
      <p role="status" className={end !== undefined && !isWrong ? 'message right' : 'message'}>
        {isRunning && <Progress state={state} />}
        {!isRunning &&
          end !== undefined &&
          t(isWrong ? 'doctorFound' : 'doctorWell', { ...end.looked, found: state.found })}
      </p>
      {end !== undefined && isWrong && <Tallies state={state} />}
    </section>
  );
}

function Progress({ state: { progress, found } }: { readonly state: DoctorState }) {
  const t = useTranslations('maintenance');
  if (progress === undefined) return t('doctorBegins');
  return t(`doctorSteps.${progress.step}`, { done: progress.done, found });
}

function Tallies({ state: { end, findings } }: { readonly state: DoctorState }) {
  const t = useTranslations('maintenance');
  const format = useFormatter();
  if (end === undefined) return null;
  const kinds = (Object.keys(end.tallies) as FindingKind[]).filter((kind) => end.tallies[kind].found > 0);
  return (
    <div className="operate-scroller">
      <table className="operate-table">
        <thead>
          <tr>
            <th scope="col">{t('finding')}</th>
            <th scope="col" className="number">
              {t('found')}
            </th>
            <th scope="col" className="number">
              {t('mended')}
            </th>
            <th scope="col">{t('examples')}</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">{t(`findings.${kind}`)}</th>
              <td className="number">{format.number(end.tallies[kind].found)}</td>
              <td className="number">{format.number(end.tallies[kind].mended)}</td>
              <td>
                {findings
                  .filter((finding) => finding.kind === kind)
                  .map(({ applicationId, attachmentId, name }) => (
                    <code key={`${applicationId} ${attachmentId}`} className="maintenance-example">
                      {applicationId} {attachmentId} {name ?? ''}
                    </code>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
