// The only place where an error becomes an answer. Faults say what the caller can act on; anything else is ours, is
// logged and leaves as INTERNAL_ERROR: no stack, SQL or path ever goes out.

import { FAULTS, Fault, fault, RawJson } from '../faults.ts';

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What it is told as; the error itself where that was one of ours. */
  readonly fault: Fault;
}

export function toProblem(error: unknown): ProblemAnswer {
  const known = error instanceof Fault ? error : fault('INTERNAL_ERROR');
  return { status: FAULTS[known.code].status, headers: known.headers, body: problemBody(known), fault: known };
}

function problemBody({ code, params, batch }: Fault): string {
  if (params === undefined && batch === undefined) return `{"code":"${code}"}`;
  const members = Object.entries({ ...params, ...(batch && { recordIndex: batch.recordIndex, ...batch.applied }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${memberText(value)}`);
  return `{"code":"${code}","params":{${members.join(',')}}}`;
}

function memberText(value: unknown): string {
  if (!Array.isArray(value) || !value.every((element) => element instanceof RawJson)) return JSON.stringify(value);
  return `[${value.map((element: RawJson) => element.text).join(',')}]`;
}
