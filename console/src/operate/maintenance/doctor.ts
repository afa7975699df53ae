// Runs the doctor, which replies with lines of JSON as it goes.

import { sendOperator } from '../../api/operator.ts';
import { type DoctorLine, type DoctorState, IDLE, withLine } from './doctor-state.ts';

interface RunOptions {
  readonly signal: AbortSignal;
  readonly onState: (state: DoctorState) => void;
}

export async function runDoctor(
  { mend, hashes }: { readonly mend: boolean; readonly hashes: boolean },
  { signal, onState }: RunOptions,
): Promise<void> {
  const path = `/doctor?mend=${mend}&hashes=${hashes}`;
  const reply = await sendOperator(path, { method: 'POST', signal });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  let state = IDLE;
  let rest = '';
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') state = withLine(state, JSON.parse(line) as DoctorLine);
    onState(state);
  }
}
