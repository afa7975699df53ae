// @ts-check
// `npm run audit`: the packages of the lock file against the registry's advisories. An advisory that is accepted is in
// accepted-advisories.json, with the reason and the day on which it has to be looked at again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';
import { Failure, run } from './processes.mjs';

/** What the command ends with, docs/security.md. */
export const EXIT = { clean: 0, advisories: 1, list: 2, unknown: 3 };

const LIST = join(ROOT, 'scripts', 'accepted-advisories.json');
const AUDIT_MS = 120_000;
const REASON_LENGTH_MIN = 20;

/**
 * @typedef {{ id: string, reason: string, until: string }} Accepted
 * @typedef {{ id: string, packageName: string, severity: string, title: string, range: string }} Advisory
 * @typedef {{ code: number, lines: string[] }} Verdict
 */

/** @param {string} text @returns {Accepted[]} */
export function readAccepted(text) {
  const { accepted } = JSON.parse(text);
  if (!Array.isArray(accepted)) throw new Failure('accepted-advisories.json has no list "accepted".');
  for (const { id, reason, until } of accepted) {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(until) && !Number.isNaN(Date.parse(until));
    if (!/^GHSA(?:-[a-z0-9]{4}){3}$/.test(id) || !isDay || String(reason ?? '').length < REASON_LENGTH_MIN) {
      throw new Failure(`accepted-advisories.json: ${id} needs an "id" GHSA-…, a "reason" and a day "until".`);
    }
  }
  return accepted;
}

/**
 * Each advisory once. A package that is affected only through another one names that one, and not an advisory.
 * @param {Record<string, { via: (string | { name: string, title: string, url: string, severity: string, range: string })[] }>} vulnerabilities
 * @returns {Advisory[]}
 */
function advisoriesOf(vulnerabilities) {
  const direct = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((each) => typeof each !== 'string'));
  const known = direct.map(({ name, title, url, severity, range }) => {
    const id = url.split('/').at(-1) ?? url;
    return /** @type {const} */ ([`${id} ${name}`, { id, packageName: name, severity, title, range }]);
  });
  return [...new Map(known).values()];
}

/** @param {Advisory} advisory */
const describe = ({ id, packageName, severity, title, range }) =>
  `${id} (${severity}) ${packageName} ${range}: ${title}`;

/**
 * @param {string} reply of `npm audit --json`
 * @param {readonly Accepted[]} accepted
 * @param {string} today `2026-11-16`
 * @returns {Verdict}
 */
export function judge(reply, accepted, today) {
  const { vulnerabilities, message } = parse(reply);
  if (vulnerabilities === undefined) {
    const said = message === undefined ? '' : ` It said: ${message}`;
    return { code: EXIT.unknown, lines: [`The registry did not answer, so nothing is known about advisories.${said}`] };
  }
  const advisories = advisoriesOf(vulnerabilities);
  const acceptances = new Map(accepted.map((each) => [each.id, each]));
  const lines = advisories.map((advisory) => {
    const acceptance = acceptances.get(advisory.id);
    if (acceptance === undefined) return { counts: true, line: describe(advisory) };
    const { until, reason } = acceptance;
    if (until < today) return { counts: true, line: `${describe(advisory)}\n  was accepted until ${until}: ${reason}` };
    return { counts: false, line: `${describe(advisory)}\n  is accepted until ${until}: ${reason}` };
  });
  const unused = accepted.filter(({ id }) => !advisories.some((advisory) => advisory.id === id));
  const open = lines.filter(({ counts }) => counts).length;
  return {
    code: open > 0 ? EXIT.advisories : EXIT.clean,
    lines: [
      ...lines.map(({ line }) => line),
      ...unused.map(({ id }) => `${id} is accepted and concerns no package any more: take it off the list.`),
      `${advisories.length} advisories for the packages of the lock file, ${open} of them not accepted.`,
    ],
  };
}

/** @param {string} reply @returns {{ vulnerabilities?: Parameters<typeof advisoriesOf>[0], message?: string }} */
function parse(reply) {
  // npm writes warnings before the JSON, and nothing at all where it cannot be reached.
  const begin = reply.indexOf('{');
  try {
    return begin === -1 ? {} : JSON.parse(reply.slice(begin, reply.lastIndexOf('}') + 1));
  } catch {
    return {};
  }
}

/** @returns {Promise<number>} the exit status */
export async function audit() {
  /** @type {Accepted[]} */
  let accepted;
  try {
    accepted = readAccepted(readFileSync(LIST, 'utf8'));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return EXIT.list;
  }
  const command = ['audit', '--json', '--package-lock-only'];
  const { output } = await run('npm', command, { cwd: ROOT, timeoutMs: AUDIT_MS });
  const { code, lines } = judge(output, accepted, new Date().toISOString().slice(0, 10));
  process.stdout.write(`${lines.join('\n')}\n`);
  return code;
}
