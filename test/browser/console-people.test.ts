// The people of an application in the console: found, added, invited, changed and removed, by those who may and by nobody else.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { linkIn } from '../support/mailbox.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { WITHOUT_BROWSER } from './browsing.ts';
import { type ConsoleScene, openConsoleScene, signIn } from './console-scene.ts';

const MANY = 10_000;
const HOSTILE = '"><img src=x onerror=document.title=1>';
const NEW_PASSWORD = 'Another-Passw0rd';
const LATE_MS = 400;
const CUT = `[...document.querySelectorAll('.people-cell:is(.rights, .team, .name), .people-cell.name .people-link')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`;

describe('people in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let app: TestApplication;
  let manager: Person;
  let page: Page;
  let complaints: readonly string[];

  before(async () => {
    scene = await openConsoleScene();
    ({ server } = scene);
    app = await publishApplication(server, {
      collections: [{ name: 'Visits', columns: [{ name: 'Title', type: 'String' }] }],
      profiles: ['Standard', 'Inspector'],
      teams: ['Tokyo', 'Osaka'],
    });
    const document = (await server.operator('GET', `/applications/${app.id}`)).body;
    const switched = await server.operator('POST', '/applications', { ...document, teamsModeEnabled: true });
    assert.equal(switched.status, 200, switched.text);
    manager = await app.addPerson('Manager', { managementApiAccess: true, team: { name: 'Tokyo' }, teamLeader: true });
    await server.database.sql(
      `insert into app_${app.id}.users (id, name, email, password_hash, admin, api_access, management_api_access,
         organization_management_api_access, profile, team, team_leader, disabled, created_at, name_folded, email_folded,
         profile_folded, team_folded, session_epoch)
       select 'u' || lpad(i::text, 7, '0'), 'Person ' || lpad(i::text, 5, '0'), 'p' || i || '@example.com', null, false,
         true, false, false, 'Inspector', 'Osaka', false, false, now(), 'person ' || lpad(i::text, 5, '0'),
         'p' || i || '@example.com', 'inspector', 'osaka', 0
       from generate_series(1, ${MANY}) i`,
    );
    const opened = await scene.openPage(`${server.address}/console/${app.id}/people`);
    ({ page, complaints } = opened);
    await signIn(page, manager);
    await page.getByRole('heading', { name: 'People' }).waitFor();
  });
  after(() => scene.close());

  const at = (path: string) => `${server.address}/console/${app.id}/${path}`;
  const person = (name: string) => page.getByRole('gridcell', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const choose = async (label: string, option: string) => {
    await page.getByRole('button', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const userOf = async (id: string) => (await app.send('GET', `/management/users/${id}`)).body;
  const added = (name: string) =>
    app.addPerson(name, { email: `${name}@example.com`, team: { name: 'Tokyo' }, teamLeader: false });

  it('are listed in any number, found while typing, and opened by the keyboard', async () => {
    await page.getByText(`${(MANY + 2).toLocaleString('en-US')} people`).waitFor();
    for (const width of [360, 390, 1440, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await page.evaluate(CUT), [], `all rights and names are seen at ${width} pixels`);
    }
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+End');
    await person(`Person ${MANY}`).waitFor();
    assert.ok((await page.getByRole('row').count()) < 80, 'only what is in sight is on the page');
    await page.keyboard.press('/');
    await page.keyboard.type('person 00077');
    await page.getByText('1 person', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('search'), 'person 00077');
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Person 00077' }).waitFor();
    await page.goBack();
    await person('Person 00077').waitFor();
    await page.goto(at('people?search=nobody-at-all'));
    await page.getByText('Nobody is found for “nobody-at-all”.').waitFor();
  });

  it('are counted by team and profile', async () => {
    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByRole('row', { name: /Osaka 10,000/ }).waitFor();
    await page.getByRole('link', { name: 'Profiles' }).click();
    await page.getByRole('row', { name: /Standard 2/ }).waitFor();
    await page.getByRole('link', { name: 'Standard' }).click();
    await person('Manager').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('search'), 'Standard');
  });

  it('are added with a link to hand over, with which they get in', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill('add a p');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).fill(HOSTILE);
    assert.equal(await page.getByLabel('E-mail address').getAttribute('aria-required'), 'true');
    await button('Create and send the mail').click();
    await page.getByText('Enter the e-mail address.').waitFor();
    assert.equal(await page.locator('.field-problem').count(), 3, 'all that is missing is said at once');
    await page.getByText('Choose a profile.').waitFor();
    await page.getByText('Choose a team.').waitFor();
    await page.getByLabel('E-mail address').fill('hana@example.com');
    await page.getByText('Enter the e-mail address.').waitFor({ state: 'detached' });
    await page.reload();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), HOSTILE, 'what is typed survives');
    await choose('Profile', 'Inspector');
    await choose('Team', 'Osaka');
    await page.getByText('Management access', { exact: true }).click();
    assert.ok(await page.getByRole('checkbox', { name: /^API access/ }).isChecked());
    await page.getByText('By a link that you hand over').click();
    await button('Create').click();
    await page.getByRole('heading', { name: `${HOSTILE} is added` }).waitFor();
    const link = await page.getByLabel('Link').inputValue();
    assert.equal(await page.locator('main img').count(), 0, 'a name is text');

    const theirs = await scene.openPage(link);
    await theirs.page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await theirs.page.getByLabel('Repeat the new password').fill(NEW_PASSWORD);
    await theirs.page.keyboard.press('Enter');
    await theirs.page.getByRole('link', { name: 'Sign in' }).click();
    await theirs.page.getByLabel('Password').waitFor();
    assert.equal(await theirs.page.getByLabel('User ID or e-mail address').inputValue(), 'hana@example.com');
    await signIn(theirs.page, { id: 'hana@example.com', password: NEW_PASSWORD });
    await theirs.page.getByRole('link', { name: 'People' }).waitFor();
    await theirs.page.close();
    assert.deepEqual(theirs.complaints, []);
  });

  it('are invited by mail', async () => {
    await page.goto(at('people/new'));
    await page.getByLabel('Name', { exact: true }).fill('Mailed');
    await page.getByLabel('E-mail address').fill('mailed@example.com');
    await choose('Profile', 'Standard');
    await choose('Team', 'Tokyo');
    await button('Create and send the mail').click();
    await page.getByText('A mail with a link is on its way to mailed@example.com.').waitFor();
    await until('the mail', () => scene.mailbox.mails.some(({ to }) => to.includes('mailed@example.com')));
    const mail = scene.mailbox.mails.find(({ to }) => to.includes('mailed@example.com'));
    assert.match(linkIn(mail!), /\/console\/resetPassword#/);
    await page.getByRole('link', { name: 'Open Mailed' }).click();
    await page.getByRole('heading', { name: 'Mailed' }).waitFor();
  });

  it('are changed where the rules allow, and the server says where they bind', async () => {
    const { id } = await added('changed');
    await page.goto(at(`people/users/${id}`));
    await page.getByRole('heading', { name: 'changed' }).waitFor();
    // What the page reads from here on reaches the server late: nothing that it reads by itself may hide a conflict.
    const late = (url: URL) => url.pathname.endsWith(`/management/users/${id}`);
    await page.route(late, async (route) => {
      if (route.request().method() === 'GET') await pause(LATE_MS);
      await route.continue();
    });
    await choose('Team', 'Osaka');
    await page.getByText('Admin', { exact: true }).click();
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    assert.deepEqual([(await userOf(id)).team.name, (await userOf(id)).admin], ['Osaka', true]);

    const { id: _id, name: _name, ...stored } = await userOf(id);
    await app.send('PUT', `/management/users/${id}`, { json: { ...stored, email: 'elsewhere@example.com' } });
    await pause(3 * LATE_MS);
    await choose('Profile', 'Inspector');
    await button('Save').click();
    await page.getByText('Somebody else has changed this person meanwhile.').waitFor();
    await page.unroute(late);
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'elsewhere@example.com');
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    assert.deepEqual(
      [(await userOf(id)).email, (await userOf(id)).profile.name],
      ['elsewhere@example.com', 'Inspector'],
    );
    await page.getByLabel('E-mail address').fill('no address');
    await button('Save').click();
    await page.getByText('This is not an e-mail address.').waitFor();
    await button('Discard the changes').click();

    await page.goto(at(`people/users/${manager.id}`));
    await page.getByText('You cannot disable or delete yourself.').waitFor();
    assert.ok(await button('Disable').isDisabled());
    await page.goto(at(`people/users/${app.admin.id}`));
    await page.getByText('This person has organization management access.').waitFor();
    assert.ok(await page.getByLabel('E-mail address').isDisabled());
    assert.ok(await button('Delete').isDisabled());
  });

  it('are disabled, enabled, given a password, signed out, and deleted by typing their name', async () => {
    const { id, password } = await added('leaving');
    const theirs = await scene.openPage(at(''));
    await signIn(theirs.page, { id, password });
    await theirs.page.getByText('There are no records in Visits yet.').waitFor();
    assert.equal(await theirs.page.getByRole('link', { name: 'People' }).count(), 0);

    await page.goto(at(`people/users/${id}`));
    await page.getByText('Chrome, Linux').waitFor();
    await button('End all sessions').click();
    await page.getByText('Signed in nowhere.').waitFor();
    await theirs.page.reload();
    await theirs.page.getByLabel('Password').waitFor();

    await button('Set a password').click();
    await page.getByRole('dialog').getByLabel('New password').fill('weak');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('.field-problem').waitFor();
    await page.getByRole('dialog').getByLabel('New password').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('The password is set.').waitFor();
    await signIn(theirs.page, { id, password: NEW_PASSWORD });
    await theirs.page.getByText('There are no records in Visits yet.').waitFor();
    await theirs.page.close();

    await button('Disable').click();
    await button('Enable').waitFor();
    assert.equal((await userOf(id)).disabled, true);
    await button('Enable').click();
    await button('Disable').waitFor();
    await button('Delete').click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Records stay, and still say who created and changed them.').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled());
    await dialog.getByRole('textbox').fill('leaving');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    assert.equal((await app.send('GET', `/management/users/${id}`)).status, 404);
  });

  it('are added many at a time, with the outcome of each line, and nobody twice', async () => {
    await page.goto(at('people'));
    await page.getByRole('link', { name: 'Add many' }).click();
    const table = [
      'Name\tE-mail\tTeam\tRights\tPhone',
      '=1+1\tsum@example.com\tosaka\tadmin\t1',
      `${HOSTILE} two\ttwo@example.com\tTokyo\t\t2`,
      'Manager\tmanager@example.com\tTokyo\t\t3',
      'Nowhere\tnowhere@example.com\tParis\t\t4',
      'Wrong\tnot an address\tTokyo\t\t5',
    ].join('\n');
    await page.getByLabel('Table of people').fill(table);
    await page.getByText('These columns are not read: Phone.').waitFor();
    await page.getByText('There is no team “Paris”.').waitFor();
    await page.getByText('By a link that you hand over').click();
    await button('Create 4 people').click();
    await button('Paste another table').waitFor();
    await page.getByText('2 of 4 created').waitFor();
    await page.getByRole('row', { name: /^4 Manager .* exists already/ }).waitFor();
    await page.getByRole('row', { name: /^6 Wrong .* This is not an e-mail address\./ }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'created, with a link' }).count(), 2);
    const saved = await page.getByRole('link', { name: 'Save the links as a file' }).getAttribute('href');
    const lines = decodeURIComponent(saved ?? '').split('\r\n');
    assert.equal(lines.length, 3);
    assert.match(lines[1] ?? '', /^'=1\+1\tsum@example\.com\thttp.*#application=/);
    await page.getByRole('button', { name: 'Try the one left' }).waitFor();
    await page.reload();
    await button('Create 4 people').click();
    await button('Paste another table').waitFor();
    await page.getByText('0 of 4 created').waitFor();
    assert.equal(await page.getByText('exists already, left as it is').count(), 3);
    assert.equal(await page.locator('main img').count(), 0);
    await button('Paste another table').click();
    assert.equal(await page.getByLabel('Table of people').inputValue(), '');
  });

  it('are shown to nobody without the right, also by their address, and nothing is asked for', async () => {
    const plain = await added('plain');
    const theirs = await scene.openPage(at('people'));
    const asked: string[] = [];
    theirs.page.on('request', (request) => asked.push(request.url()));
    await signIn(theirs.page, plain);
    await theirs.page.getByText('The people of this application are not yours to see.').waitFor();
    for (const path of [
      'people',
      'people/teams',
      'people/new',
      'people/many',
      `people/users/${manager.id}`,
      'people/shared',
    ]) {
      await theirs.page.goto(at(path));
      await theirs.page.getByText('The people of this application are not yours to see.').waitFor();
    }
    assert.equal(await theirs.page.getByRole('link', { name: 'People' }).count(), 0);
    await theirs.page.keyboard.press('Control+k');
    await theirs.page.getByRole('dialog').getByRole('textbox').fill('pe');
    assert.equal(await theirs.page.getByRole('menuitem', { name: 'People' }).count(), 0);
    assert.deepEqual(
      asked.filter((address) => address.includes('/management/')),
      [],
    );
    await theirs.page.close();
  });

  it('complained of nothing', () => {
    assert.deepEqual(complaints, []);
  });
});

describe('shared users in the console', { skip: WITHOUT_BROWSER }, () => {
  let scene: ConsoleScene;
  let page: Page;
  let id: string;
  before(async () => {
    scene = await openConsoleScene();
    const { server } = scene;
    const shared = { name: 'Boss', email: 'boss@example.com', password: NEW_PASSWORD };
    await server.operator('PUT', '/organizations/Acme', { singleSignOn: null });
    assert.equal((await server.operator('POST', '/organizations/Acme/sharedUsers', shared)).status, 200);
    const document = { name: 'Rounds', organization: 'Acme', sharedUsersModeEnabled: true, collections: [] };
    id = (await server.operator('POST', '/applications', document)).body.application.id;
    const rights = { admin: true, apiAccess: true, managementApiAccess: true, organizationManagementApiAccess: true };
    const body = { name: 'Boss', ...rights, profile: { name: 'Standard' } };
    assert.equal((await server.operator('POST', `/applications/${id}/users`, body)).status, 200);
    ({ page } = await scene.openPage(`${server.address}/console/${id}/people/shared`));
    await signIn(page, { id: 'boss@example.com', password: NEW_PASSWORD });
  });
  after(() => scene.close());

  it('are added, let into the application, disabled and deleted', async () => {
    await page.getByRole('link', { name: 'New shared user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hanako');
    await page.getByLabel('E-mail address').fill('hanako@example.com');
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hanako' }).waitFor();

    await page.goto(`${scene.server.address}/console/${id}/people/new`);
    await page.getByRole('combobox', { name: 'Shared user' }).fill('hana');
    await page.getByRole('option', { name: /Hanako/ }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Hanako is added' }).waitFor();
    await page.getByRole('link', { name: 'Open Hanako' }).click();
    await page.getByText('To remove the person from all applications, delete the shared user.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);

    await page.goto(`${scene.server.address}/console/${id}/people/shared`);
    await page.getByRole('link', { name: 'Hanako' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('textbox').fill('Hanako');
    await page.keyboard.press('Enter');
    await page.getByText('1 person', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Boss' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('You cannot disable or delete yourself.').waitFor();
  });
});
