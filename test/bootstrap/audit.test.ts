// `npm run audit` on recorded replies of `npm audit --json`: what it counts, what it accepts, and what it says when the
// registry does not answer. Nothing here uses the network.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT, readText } from '../tidy/tree.ts';

interface Accepted {
  id: string;
  reason: string;
  until: string;
}

const { EXIT, judge, readAccepted } = (await import(pathToFileURL(`${ROOT}/scripts/audit.mjs`).href)) as {
  EXIT: Record<'clean' | 'advisories' | 'list' | 'unknown', number>;
  judge(reply: string, accepted: readonly Accepted[], today: string): { code: number; lines: string[] };
  readAccepted(text: string): Accepted[];
};

const TODAY = '2026-11-16';
const ID = 'GHSA-xvch-5gv4-984h';

/** npm 11, for a lock file with an old `minimist` and a package that needs it. */
const AFFECTED = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    minimist: {
      name: 'minimist',
      severity: 'critical',
      isDirect: false,
      via: [
        {
          source: 1_097_678,
          name: 'minimist',
          dependency: 'minimist',
          title: 'Prototype Pollution in minimist',
          url: `https://github.com/advisories/${ID}`,
          severity: 'critical',
          cwe: ['CWE-1321'],
          cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          range: '<0.2.4',
        },
      ],
      effects: ['mkdirp'],
      range: '<=0.2.3',
      nodes: ['node_modules/minimist'],
      fixAvailable: true,
    },
    mkdirp: {
      name: 'mkdirp',
      severity: 'critical',
      isDirect: true,
      via: ['minimist'],
      effects: [],
      range: '0.4.1 - 0.5.1',
      nodes: ['node_modules/mkdirp'],
      fixAvailable: true,
    },
  },
  metadata: { vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 2, total: 2 } },
});
const CLEAN = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {},
  metadata: { vulnerabilities: { total: 0 } },
});

/** npm 11, with a warning before it, from a mirror that has no advisories. */
const REFUSED = `npm warn audit 405 Method Not Allowed - POST https://mirror.example/-/npm/v1/security/advisories/bulk
{
  "message": "405 Method Not Allowed - POST https://mirror.example/-/npm/v1/security/advisories/bulk",
  "method": "POST",
  "statusCode": 405,
  "body": "",
  "error": { "summary": "", "detail": "" }
}
npm error audit endpoint returned an error`;

const accepting = (until: string): Accepted[] => [{ id: ID, reason: 'only reads our own arguments', until }];

describe('the audit of the lock file', () => {
  it('passes without advisories', () => {
    assert.equal(judge(CLEAN, [], TODAY).code, EXIT.clean);
  });

  it('fails with an advisory, which it names once with its package', () => {
    const { code, lines } = judge(AFFECTED, [], TODAY);
    assert.equal(code, EXIT.advisories);
    assert.deepEqual(lines, [
      `${ID} (critical) minimist <0.2.4: Prototype Pollution in minimist`,
      '1 advisories for the packages of the lock file, 1 of them not accepted.',
    ]);
  });

  it('passes with an accepted advisory until the day, and fails after it', () => {
    assert.equal(judge(AFFECTED, accepting(TODAY), TODAY).code, EXIT.clean);
    const { code, lines } = judge(AFFECTED, accepting('2026-11-15'), TODAY);
    assert.equal(code, EXIT.advisories);
    assert.match(lines[0] ?? '', /was accepted until 2026-11-15: only reads/);
  });

  it('says which accepted advisory concerns no package any more', () => {
    const { code, lines } = judge(CLEAN, accepting('2027-01-01'), TODAY);
    assert.equal(code, EXIT.clean);
    assert.match(lines[0] ?? '', new RegExp(`^${ID} .*take it off the list`));
  });

  it('says plainly that nothing is known when the registry does not answer', () => {
    for (const reply of [REFUSED, '', 'npm error network', '{"broken']) {
      const { code, lines } = judge(reply, accepting('2027-01-01'), TODAY);
      assert.equal(code, EXIT.unknown, reply);
      assert.match(lines.join('\n'), /^The registry did not answer, so nothing is known about advisories\./);
    }
    assert.match(judge(REFUSED, [], TODAY).lines.join('\n'), /405 Method Not Allowed/);
  });

  it('takes no acceptance without a reason, a day or the identifier of an advisory', () => {
    const good = { id: ID, reason: 'only reads our own arguments', until: '2027-01-01' };
    assert.deepEqual(readAccepted(JSON.stringify({ accepted: [good] })), [good]);
    for (const wrong of [{ until: 'never' }, { until: '2027-13-01' }, { reason: 'fine' }, { id: 'CVE-2021-1' }]) {
      assert.throws(() => readAccepted(JSON.stringify({ accepted: [{ ...good, ...wrong }] })), /needs/);
    }
  });

  it('has a list that can be read', () => {
    assert.doesNotThrow(() => readAccepted(readText('scripts/accepted-advisories.json')));
  });
});
