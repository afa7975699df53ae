// How the types of an application are used: what compiles, and what must not. The compiler is the test: it also fails where
// an error that is expected here does not come.

import type { Client } from '../../client/src/client.ts';
import type { Attachment, RecordOf } from '../../client/src/typed.ts';
import type { Test } from './typed-application.ts';

/** True only if the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_Claim extends true>(): void => undefined;

export async function use(client: Client<Test>, attachment: Attachment): Promise<void> {
  const visits = client.collection('Visits');
  const sites = client.collection('Sites');
  // @ts-expect-error: there is no such collection
  client.collection('Vists');

  // What is read
  const visit = await visits.get('r');
  holds<Same<typeof visit, RecordOf<Test, 'Visits'>>>();
  holds<Same<typeof visit.Started, Date | undefined>>();
  holds<Same<typeof visit.Title, string | undefined>>();
  holds<Same<typeof visit.Tags, readonly string[] | undefined>>();
  holds<Same<typeof visit.$createdAt, Date>>();
  visit.Photo?.thumbnail(64);
  visit.Address?.City?.toUpperCase();
  visit.Parts?.[0]?.Name?.toUpperCase();
  (await visit.Site?.get())?.Floors?.toFixed();
  visit.Site?.record?.Code?.toUpperCase();
  visit.Site?.value?.toUpperCase();
  // @ts-expect-error: a misspelt column
  visit.Strated;
  // @ts-expect-error: a record that was read is not changed by assigning to it
  visit.Title = 'x';
  // @ts-expect-error: there is no thumbnail of that size
  visit.Photo?.thumbnail(65);
  // @ts-expect-error: a column may have no value
  visit.Opens.toUpperCase();

  // What is written
  const site = await sites.create({ Name: 'a', Code: 'b', Floors: null });
  await visits.create({ Started: new Date(), Day: '2026-11-16', Opens: '09:30:00', Site: site, Photo: attachment });
  await visits.create({ Inspector: { id: 'u' }, Place: { latitude: 1, longitude: 2 }, Address: { City: 'x' } });
  await visits.replace(visit.$id, { Tags: ['x'], Parts: [{ Name: 'x' }], Site: 'r' });
  // @ts-expect-error: a number is not a text
  await visits.create({ Title: 1 });
  // @ts-expect-error: a text is not a number
  await visits.update('r', { Number: '1' });
  // @ts-expect-error: a day is not a time
  await visits.create({ Day: '09:30:00' });
  // @ts-expect-error: no such column
  await visits.create({ Titel: 'x' });
  // @ts-expect-error: no such key
  await visits.create({ Address: { Town: 'x' } });
  // @ts-expect-error: an element of the wrong type
  await visits.create({ Tags: [1] });
  // @ts-expect-error: a place needs both
  await visits.create({ Place: { latitude: 1 } });
  await sites.upsert('Code', { Code: 'x' });
  // @ts-expect-error: the column is not unique
  await sites.upsert('Name', { Name: 'x' });
  await visits.updateMany([{ $id: 'r', Passed: true }]).finish();
  // @ts-expect-error: which record?
  await visits.updateMany([{ Passed: true }]).finish();

  // How it is found
  for await (const found of visits.search('Passed:false', { sort: 'Started', follow: ['Site'] })) {
    holds<Same<typeof found.Passed, boolean | undefined>>();
  }
  // @ts-expect-error: the column is not sortable
  visits.search('', { sort: 'Tags' });
  // @ts-expect-error: the column is no reference
  visits.search('', { follow: ['Title'] });

  // How it is counted
  const { groups } = await visits.figures({ groupBy: 'Started', unit: 'month', sum: ['Number'] });
  groups[0]?.sum.Number?.toFixed();
  // @ts-expect-error: only numbers are summed up
  await visits.figures({ sum: ['Title'] });
  // @ts-expect-error: not grouped by arrays
  await visits.figures({ groupBy: 'Tags' });
}

/** Without types, every name compiles, and values are of any plain kind. */
export async function useAnything(client: Client): Promise<void> {
  const things = client.collection('Whatever');
  const thing = await things.create({ Any: 1, Other: new Date() });
  holds<Same<typeof thing.$id, string>>();
  if (thing.Any instanceof Date) thing.Any.getTime();
  await things.upsert('Any', { Any: 2 });
}
