// The rules of the console's pages about people: rights, pasted tables, the names of browsers, when tokens end.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserName } from '../../console/src/me/browser-name.ts';
import { expiryOf, isFutureDay } from '../../console/src/me/expiry.ts';
import { endOf } from '../../console/src/people/list-end.ts';
import { randomPassword } from '../../console/src/people/new-password.ts';
import { type PastedScene, PEOPLE_MAX, readPeople } from '../../console/src/people/pasted-people.ts';
import { RIGHTS, withRight } from '../../console/src/people/rights.ts';
import { waysIn } from '../../console/src/people/ways-in.ts';
import { passwordWeakness } from '../../src/domain/people/passwords.ts';
import { accessProblem } from '../../src/domain/people/users.ts';

const NONE = {
  apiAccess: false,
  admin: false,
  managementApiAccess: false,
  organizationManagementApiAccess: false,
};

describe('rights', () => {
  it('bring those that they require, and take along those that require them', () => {
    const organization = withRight(NONE, 'organizationManagementApiAccess', true);
    assert.deepEqual(organization, {
      ...NONE,
      apiAccess: true,
      managementApiAccess: true,
      organizationManagementApiAccess: true,
    });
    assert.deepEqual(withRight({ ...organization, admin: true }, 'apiAccess', false), { ...NONE, admin: true });
  });

  it('never make a body that the server refuses, from any state by any step', () => {
    for (let bits = 0; bits < 16; bits += 1) {
      const from = Object.fromEntries(RIGHTS.map((right, index) => [right, (bits >> index) % 2 === 1])) as typeof NONE;
      if (accessProblem(from) !== undefined) continue;
      for (const right of RIGHTS) {
        for (const given of [true, false]) {
          const next = withRight(from, right, given);
          assert.equal(next[right], given);
          assert.equal(accessProblem(next), undefined, JSON.stringify([from, right, given]));
        }
      }
    }
  });
});

describe('a pasted table of people', () => {
  const scene: PastedScene = {
    sharedUsersModeEnabled: false,
    teamsModeEnabled: true,
    profiles: ['Office', 'Inspector'],
    teams: ['Tokyo', '大阪'],
    profile: 'Office',
    team: 'Tokyo',
  };
  const read = (text: string, more: Partial<PastedScene> = {}) => readPeople(text, { ...scene, ...more });
  const first = (text: string, more: Partial<PastedScene> = {}) => {
    const [person] = read(text, more).people;
    assert.ok(person !== undefined);
    return person;
  };
  const kinds = (text: string) => first(text).problems.map(({ kind }) => kind);

  it('is read from spreadsheets and CSV files, with the usual order of columns', () => {
    for (const text of [
      'Hana Mori\thana@example.com\t大阪\tadmin, leader\tinspector',
      'Hana Mori,hana@example.com,大阪,"admin, leader",inspector',
      'Hana Mori;hana@example.com;大阪;admin,leader;inspector',
    ]) {
      const { values, problems } = first(text);
      assert.deepEqual(problems, [], text);
      const { name, email, team, profile, admin, teamLeader, apiAccess } = values;
      assert.deepEqual(
        [name, email, team, profile, admin, teamLeader, apiAccess],
        ['Hana Mori', 'hana@example.com', '大阪', 'Inspector', true, true, true],
        text,
      );
    }
  });

  it('takes headings in any order, in both languages, and says which it does not read', () => {
    const { people, ignored } = read('メールアドレス\t電話\t氏名\tチーム\r\nhana@example.com\t0\t森 花\t\r\n\r\n');
    assert.deepEqual(ignored, ['電話']);
    assert.deepEqual(
      people.map(({ line, values: { name, email, team, profile } }) => [line, name, email, team, profile]),
      [[2, '森 花', 'hana@example.com', 'Tokyo', 'Office']],
    );
  });

  it('reads flags as words and as columns of their own', () => {
    assert.equal(first('Name,E-mail,Admin\nA,a@example.com,yes').values.admin, true);
    assert.equal(first('Name,E-mail,Admin\nA,a@example.com,no').values.admin, false);
    const manager = first('Name,E-mail,Rights\nA,a@example.com,ユーザー管理').values;
    assert.deepEqual([manager.managementApiAccess, manager.apiAccess], [true, true]);
    assert.equal(first('Name,E-mail,Rights\nA,a@example.com,no API access').values.apiAccess, false);
    assert.equal(first('A\ta@example.com\t\tleader', { teamsModeEnabled: false }).values.teamLeader, false);
  });

  it('names what is wrong with a line', () => {
    assert.deepEqual(kinds('Name,E-mail\n,a@example.com'), ['nameMissing']);
    assert.deepEqual(kinds('Name,E-mail\nA,'), ['emailMissing']);
    assert.deepEqual(kinds('A,a@example.com,Osaka'), ['unknownTeam']);
    assert.deepEqual(kinds('A,a@example.com,Tokyo,,Boss'), ['unknownProfile']);
    assert.deepEqual(kinds('A,a@example.com,Tokyo,king'), ['unknownWord']);
    assert.deepEqual(kinds('Name,E-mail,Admin\nA,a@example.com,perhaps'), ['unknownWord']);
    assert.deepEqual(
      read('A,a@example.com\nA,b@example.com').people.map(({ problems }) => problems.map(({ kind }) => kind)),
      [[], ['twice']],
    );
  });

  it('keeps what could be a formula or markup as text, and asks for no address of shared users', () => {
    assert.equal(first('=1+1\t<img src=x>@example.com').values.name, '=1+1');
    const { values, problems } = first('A\tTokyo', { sharedUsersModeEnabled: true });
    assert.deepEqual([values.email, values.team, problems], ['', 'Tokyo', []]);
  });

  it('has a limit, and says how many are left out', () => {
    const text = Array.from({ length: PEOPLE_MAX + 3 }, (_, index) => `P${index},p${index}@example.com`).join('\n');
    const { people, left } = read(text);
    assert.deepEqual([people.length, left], [PEOPLE_MAX, 3]);
    assert.deepEqual(read('').people, []);
  });
});

describe('ways in', () => {
  it('are by mail where there is mail, and none where people sign in with what they have', () => {
    const own = { sharedUsersModeEnabled: false };
    assert.deepEqual(waysIn({ singleSignOn: false, passwordReset: true }, own), ['mail', 'link', 'password']);
    assert.deepEqual(waysIn({ singleSignOn: false, passwordReset: false }, own), ['link', 'password']);
    assert.deepEqual(waysIn({ singleSignOn: true, passwordReset: false }, own), []);
    assert.deepEqual(waysIn({ singleSignOn: false, passwordReset: true }, { sharedUsersModeEnabled: true }), []);
  });

  it('make passwords that the server takes, and never one twice', () => {
    const made = new Set(Array.from({ length: 200 }, randomPassword));
    assert.equal(made.size, 200);
    for (const password of made) assert.equal(passwordWeakness(password), undefined, password);
  });
});

describe('the end of a list', () => {
  it('is the page that is not full, or the known total, or one page beyond what is known', () => {
    assert.deepEqual(endOf([[0, 37]], undefined), { count: 37, complete: true });
    assert.deepEqual(endOf([[0, 0]], 5), { count: 0, complete: true });
    assert.deepEqual(endOf([[0, 100]], 10_000), { count: 10_000, complete: true });
    assert.deepEqual(endOf([[0, 100]], undefined), { count: 200, complete: false });
    const full = [3, 100] as const;
    assert.deepEqual(endOf([full, [4, 0]], undefined), { count: 400, complete: true });
    assert.deepEqual(endOf([full, [6, 0]], undefined), { count: 800, complete: false });
  });
});

describe('a browser', () => {
  const CHROME =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
  for (const [agent, name] of [
    [CHROME, 'Chrome, Linux'],
    [`${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge, Windows'],
    [`${MAC} Version/18.0 Safari/605.1.15`, 'Safari, macOS'],
    [`${PHONE} Version/18.0 Mobile/15E148 Safari/604.1`, 'Safari, iPhone'],
    ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox, Android'],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['', undefined],
  ] as const) {
    it(`is called ${name} for ${agent.slice(0, 40)}`, () => assert.equal(browserName(agent), name));
  }
});

describe('a token', () => {
  const now = Date.parse('2026-11-16T12:00:00Z');
  it('ends after so many days, at the end of a day, or never', () => {
    assert.equal(expiryOf('30', '', now), '2026-12-16T12:00:00.000Z');
    assert.equal(expiryOf('never', '', now), undefined);
    assert.equal(expiryOf('date', '2026-12-31', now), new Date(2027, 0, 1).toISOString());
    assert.equal(isFutureDay('2026-11-18', now), true);
    assert.equal(isFutureDay('2026-11-10', now), false);
    for (const wrong of ['', '2026-11', 'soon']) assert.equal(isFutureDay(wrong, now), false, wrong);
  });
});
