// The way from an empty installation to people who work, step by step as they do it in the browser. The test checks what
// comes of the steps; `npm run bench -- screenshots` takes the pictures of docs/first-application.md between them.

import type { Page } from 'playwright-core';

export const FILE_NAME = 'Equipment.csv';
export const ROWS = [
  'Lift 1,Harbour Tower,In order,2026-12-01,48000,yes',
  'Lift 2,Harbour Tower,Check due,2026-11-20,48000,yes',
  'Fire door 07,Harbour Tower,In order,2027-02-15,2400,no',
  'Boiler,Riverside School,In order,2026-12-18,17500,no',
  'Smoke detector 12,Riverside School,Check due,2026-11-19,85,yes',
  'Gym lighting,Riverside School,In order,2027-03-01,6200,no',
  'Cold room,Market Hall,Out of service,2026-11-18,31000,no',
  'Ventilation,Market Hall,In order,2027-01-11,22400,yes',
];
const CSV = `Name,Site,Status,Next check,Price,Under contract\n${ROWS.join('\n')}\n`;

interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export const ADA: Person = { name: 'Ada Novak', email: 'ada@example.com', password: 'Harbour-Tower-7' };
export const HANA: Person = { name: 'Hana Mori', email: 'hana@example.com', password: 'Riverside-School-8' };
export const BEN: Person = { name: 'Ben Okafor', email: 'ben@example.com', password: 'Market-Hall-9' };

/** Ends on the empty list of applications. */
export async function enterAsOperator(page: Page, operatorKey: string): Promise<void> {
  await page.getByRole('link', { name: 'Manage applications' }).click();
  await page.getByLabel('Operator key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByText('No application is published yet.').waitFor();
}

/** Ends where a design begins. */
export async function beginDesign(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Design an application' }).click();
  await page.getByRole('heading', { name: 'Design an application' }).waitFor();
}

/** Ends with the columns of the file, and one more: who looks after the thing. */
export async function designFromFile(page: Page): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles({ name: FILE_NAME, mimeType: 'text/csv', buffer: Buffer.from(CSV) });
  await page.getByRole('grid', { name: 'Columns of Equipment' }).getByRole('row', { name: 'Status' }).click();
  await page.getByRole('button', { name: 'Add a column' }).click();
  await page.getByText('In the interface: String').waitFor();
  await page.keyboard.type('Responsible');
  await page.getByRole('button', { name: /^Text Type/ }).click();
  await page.getByRole('option', { name: 'Person', exact: true }).click();
  await page.getByText('In the interface: User').waitFor();
  await page.getByRole('checkbox', { name: /^Searchable/ }).press('Space');
}

/** Ends with the list of what would be published. */
export async function reviewDesign(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Publish', exact: true }).click();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText('Collection "Equipment" is added with 7 columns.').waitFor();
}

/** Ends with the dialog for the first user, filled in. */
export async function publishDesign(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Equipment is published at version 1.').waitFor();
  await page.getByRole('button', { name: 'Create the first user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(ADA.name);
  await dialog.getByLabel('E-mail address').fill(ADA.email);
  await dialog.getByLabel('Password').fill(ADA.password);
}

/** Ends where the rows of the file can be imported. */
export async function enterAsFirstUser(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Create the first user' }).click();
  await page.getByRole('button', { name: `Sign in as ${ADA.name} and import ${FILE_NAME}` }).click();
  await page.getByRole('heading', { name: 'Import into Equipment' }).waitFor();
  await page.getByText('What will be stored').waitFor();
}

/** Ends with the records. */
export async function importRows(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText(`${ROWS.length} records were stored.`).waitFor();
  await page.getByRole('link', { name: 'Back to Equipment' }).click();
  await page.getByRole('link', { name: 'Lift 1', exact: true }).waitFor();
}

/** Ends with the link to hand over, which it returns. */
export async function invite(page: Page, { name, email }: Person): Promise<string> {
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByRole('link', { name: 'Add a person' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  return page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
}

/** Ends with the form, filled in. */
export async function openInvitation(page: Page, link: string, { password }: Person): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { name: 'Choose your password for Equipment' }).waitFor();
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the new password').fill(password);
}

/** Ends with the records. */
export async function enterAsInvited(page: Page, { email, password }: Person): Promise<void> {
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('User ID or e-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Lift 1', exact: true }).waitFor();
}

/** Ends on the page of the new record. */
export async function createRecord(page: Page, responsible: Person): Promise<void> {
  await page.getByRole('link', { name: 'New record' }).click();
  await page.getByRole('heading', { name: 'New record in Equipment' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Goods lift');
  await page.getByLabel('Site', { exact: true }).fill('Market Hall');
  await page.getByLabel('Status', { exact: true }).fill('Check due');
  await page.getByRole('combobox', { name: 'Responsible' }).fill(responsible.name.slice(0, 3));
  await page.getByRole('option', { name: responsible.name }).click();
  await page.getByLabel('Next check').fill('2026-11-23');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Goods lift' }).waitFor();
}

/** Types over the status of a record in the grid, and waits until it is stored. */
export async function changeStatus(page: Page, record: string, status: string): Promise<void> {
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: record, exact: true }) });
  await row.getByRole('gridcell').filter({ hasText: 'Out of service' }).click();
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok());
  await page.keyboard.type(status);
  await page.keyboard.press('Enter');
  await stored;
}

/** Ends on one's own account. */
export async function turnOnNotifications(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name: `Account of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Turn on notifications in this browser' }).click();
  await page.getByText('This browser receives your notifications').waitFor();
}

export const MESSAGE = 'Somebody is stuck on floor 2. Can you go there?';

/** Ends with the notification, written. */
export async function writeNotification(page: Page, record: string, to: Person): Promise<void> {
  await page.getByRole('link', { name: 'Equipment', exact: true }).click();
  await page.getByRole('link', { name: record, exact: true }).click();
  await page.getByRole('button', { name: 'Notify people' }).click();
  await page.getByRole('combobox', { name: 'To' }).fill(to.name.slice(0, 3));
  await page.getByRole('option', { name: to.name }).click();
  await page.getByText('1 of them has a device').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill(MESSAGE);
}

/** Ends when the push service has it. */
export async function sendNotification(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send to 1 person' }).click();
  await page.getByText('Sent to 1 person.').waitFor();
  await page
    .getByRole('region', { name: 'Sent in the last seven days' })
    .getByRole('button', { name: /Somebody is stuck.*Delivered/ })
    .waitFor();
}
