// `cartulary doctor`: shows the progress of the server's check of attachments, and then what it found.

import {
  type DoctorLine,
  type DoctorOptions,
  FINDINGS,
  type Finding,
  type FindingKind,
  type Progress,
} from '../../wire/doctor.ts';
import { CommandFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { countOf } from './columns.ts';
import { type CommandRow, operatorCommand } from './row.ts';
import { statusLine } from './status-line.ts';

type End = Extract<DoctorLine, { type: 'end' }>;

const EXAMPLES_MAX = 5;
const LINE_MS = 10_000;

/** What --mend does about each finding, before and after it. */
const MENDING: Readonly<Record<FindingKind, readonly [future: string, past: string]>> = {
  bytesWithoutAttachment: ['removes them', 'were removed'],
  bytesWithoutApplication: ['removes them', 'were removed'],
  leftovers: ['removes them', 'were removed'],
  withoutBytes: ['marks them as missing: they answer 404', 'were marked as missing: they answer 404'],
  otherSize: ['marks them as missing: they answer 404', 'were marked as missing: they answer 404'],
  otherContent: ['marks them as missing: they answer 404', 'were marked as missing: they answer 404'],
  bytesBack: ['makes them available again', 'are available again'],
  interrupted: ['removes them', 'were removed'],
  halfRemoved: ['finishes them', 'were finished'],
};

const STEPS: Readonly<Record<Progress['step'], string>> = {
  files: 'Checking the files',
  attachments: 'Checking the attachments',
  mending: 'Repairing',
};

async function doctor(client: OperatorClient, options: DoctorOptions): Promise<void> {
  const examples = new Map<FindingKind, Finding[]>();
  let refusal: string | undefined;
  let end: End | undefined;
  const shown = statusLine({ everyMs: LINE_MS, firstMs: LINE_MS });
  try {
    const query = `?mend=${options.mend}&hashes=${options.hashes}&force=${options.force}`;
    for await (const value of client.lines('POST', `/doctor${query}`)) {
      const line = value as DoctorLine;
      if (line.type === 'progress') shown.show(progressText(line));
      else if (line.type === 'finding') keepExample(examples, line);
      else if (line.type === 'refused') refusal = line.reason;
      else if (line.type === 'stopped') throw new CommandFailure(line.reason);
      else end = line;
    }
  } finally {
    shown.clear();
  }
  if (end === undefined) throw new CommandFailure('The server stopped before the check was complete.');
  report(end, examples, options);
  if (refusal !== undefined)
    throw new CommandFailure(`Nothing was repaired. ${refusal} If this is expected, add --force.`);
  const left = Object.values(end.tallies).reduce((sum, tally) => sum + tally.left, 0);
  if (left === 0) return;
  throw new CommandFailure(options.mend ? `${count(left)} could not be repaired.` : 'To repair this, add --mend.');
}

function keepExample(examples: Map<FindingKind, Finding[]>, finding: Finding): void {
  const kept = examples.get(finding.kind) ?? [];
  if (kept.length < EXAMPLES_MAX) examples.set(finding.kind, [...kept, finding]);
}

function report({ looked, tallies }: End, examples: Map<FindingKind, Finding[]>, { mend }: DoctorOptions): void {
  const { applications, attachments, files, missing, place } = looked;
  console.log(
    `Checked ${countOf(attachments, 'attachment')} of ${countOf(applications, 'application')}, and ${countOf(files, 'file')} in ${place}.`,
  );
  let found = 0;
  for (const [kind, title] of Object.entries(FINDINGS) as [FindingKind, string][]) {
    const tally = tallies[kind];
    found += tally.found;
    if (tally.found === 0) continue;
    console.log(`\n${title}: ${count(tally.found)}`);
    const some = examples.get(kind) ?? [];
    for (const example of some) console.log(`  ${exampleText(example)}`);
    if (tally.found > some.length) console.log(`  and ${count(tally.found - some.length)} more`);
    const [future, past] = MENDING[kind];
    if (tally.mended > 0) console.log(`  ${count(tally.mended)} ${tally.mended === 1 ? singular(past) : past}.`);
    else if (!mend) console.log(`  --mend ${future}.`);
  }
  if (found === 0) console.log('No problems found.');
  if (missing > 0) {
    console.log(
      `\n${countOf(missing, 'attachment is', 'attachments are')} marked as missing. Restore the ${missing === 1 ? 'file' : 'files'} and run with --mend to make ${missing === 1 ? 'it' : 'them'} available again.`,
    );
  }
}

function exampleText({ applicationId, attachmentId, part, name, size, expectedSize }: Finding): string {
  const file = part === undefined ? attachmentId : `${attachmentId}.${part}`;
  const bytes = size === undefined ? [] : [countOf(size, 'byte')];
  const expected =
    expectedSize === undefined || expectedSize === size ? [] : [`should have ${countOf(expectedSize, 'byte')}`];
  const details = [...(name === undefined ? [] : [JSON.stringify(name)]), ...bytes, ...expected];
  return `${applicationId}/${file}${details.length === 0 ? '' : ` ${details.join(', ')}`}`;
}

const singular = (past: string): string =>
  past
    .replace(/^were /, 'was ')
    .replace(/^are /, 'is ')
    .replace('they answer', 'it answers');

const count = (number: number): string => number.toLocaleString('en');

function progressText({ step, done, total }: Progress): string {
  const percent = total === undefined || total < done || total === 0 ? '' : `${Math.floor((done / total) * 100)} % `;
  return `${percent}${STEPS[step]} (${count(done)})`;
}

export const DOCTOR_COMMANDS: readonly CommandRow[] = [
  operatorCommand<DoctorOptions>({
    usage: 'doctor',
    summary: 'compare attachments with their files; exits with 1 if it finds problems',
    options: [
      { flags: '--mend', text: 'repair the problems', default: false },
      { flags: '--hashes', text: 'read every file and compare its hash; slow', default: false },
      {
        flags: '--force',
        text: 'repair even if more than half of all files or attachments have problems',
        default: false,
      },
    ],
    examples: ['doctor', 'doctor --mend'],
    run: (client, { options }) => doctor(client, options),
  }),
];
