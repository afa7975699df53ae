// How an import or export of the console reaches the server: as the person who is signed in, with patience.

import { rawOperations } from '../../../../client/src/raw.ts';
import { Transport } from '../../../../client/src/transport.ts';
import { makePatience } from '../../../../src/moving/import/patience.ts';
import type { AttachedFiles, ImportSurroundings } from '../../../../src/moving/import/run-import.ts';
import { type RowProblem, shownCell } from '../../../../src/moving/problems.ts';
import type { OpenValue } from '../../../../src/moving/values/cell-values.ts';
import { isIdentifier } from '../../../../src/wire/identifiers.ts';
import type { Run } from './run.ts';

/** A person sees that it waits and can stop it, so it waits a day: as long as the server knows the keys of batches. */
const PATIENCE_MS = 86_400_000;

/** A connection may be dead without a word, as after an outage. What is sent again has the same key and is done once. */
const REPLY_MS_MAX = 120_000;

const timedFetch: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(REPLY_MS_MAX) });

export function connectionOf(application: string, run: Run): Pick<ImportSurroundings, 'raw' | 'patience' | 'files'> {
  const raw = rawOperations(new Transport({ url: location.origin, application, retries: 0, fetch: timedFetch }));
  const patience = makePatience(PATIENCE_MS, (reason) => run.waiting(reason), run.signal);
  return { raw, patience, files: ATTACHMENTS_BY_ID };
}

/** A page cannot read files beside the one that was chosen: a cell names an attachment that is there already. */
const ATTACHMENTS_BY_ID: AttachedFiles = { upload: async (open) => byId(open), check: async (open) => byId(open) };

function byId(open: readonly OpenValue[]): Map<OpenValue, RowProblem> {
  const problems = new Map<OpenValue, RowProblem>();
  for (const one of open) {
    if (one.value.type !== 'Attachment') continue;
    if (isIdentifier('attachmentId', one.text)) one.value.id = one.text;
    else problems.set(one, { code: 'fileNotHere', params: { cell: shownCell(one.text) } });
  }
  return problems;
}
