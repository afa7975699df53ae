// Loads the demonstration into a running server over HTTP, like any operator and any client: publishes the application,
// creates users and a token, and creates records.

import { randomInt } from 'node:crypto';
import type { Application } from '../src/wire/applications.ts';
import { RECORDS_MAX } from '../src/wire/records.ts';
import type { ManagementUser, NewUser } from '../src/wire/users.ts';
import { DEMONSTRATION } from './application.ts';
import { createDice } from './dice.ts';
import { fillRecord, type Known } from './fill.ts';
import { ADMIN, PEOPLE, type Person } from './people.ts';
import { drawBuilding } from './pictures.ts';
import { type PlannedCollection, planRecords } from './records.ts';

export interface LoadOptions {
  /** Without a path, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly operatorKey: string;
  readonly today: Date;
}

export interface LoadedDemonstration {
  readonly applicationId: string;
  /** The collection of visits. */
  readonly collectionId: string;
  /** A visit worth looking at. */
  readonly recordId: string;
  readonly photosId: string;
  /** The picture of the latest photo. */
  readonly attachmentId: string;
  /** The admin's. */
  readonly token: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const VISITS = 'Visits';
const PHOTOS = 'Photos';
/** A hundred records take well below a second; a machine that is busy with its first start needs longer. */
const REQUEST_MS_MAX = 60_000;

export async function loadDemonstration({ baseUrl, operatorKey, today }: LoadOptions): Promise<LoadedDemonstration> {
  const operate = client(`${baseUrl}/operator/v1`, operatorKey);
  const { application } = await operate<{ application: Application }>('/applications', DEMONSTRATION);
  const people = await createPeople(operate, application.id);
  const tokenPath = `/applications/${application.id}/users/${people.admin.id}/tokens`;
  const { token } = await operate<{ token: string }>(tokenPath, { name: 'Demonstration' });

  const send = client(`${baseUrl}/v1/${application.id}`, token);
  const recordIds = new Map<string, string>();
  const attachmentIds = new Map<string, string>();
  const known = { userIds: people.userIds, recordIds, attachmentIds };
  const plan = planRecords(today);
  for (const planned of plan.collections) {
    const { id } = collectionOf(application, planned.name);
    const upload = uploadTo(`${baseUrl}/v1/${application.id}/collections/${id}/attachments`, token);
    await uploadPictures(upload, planned, { userIds: people.userIds, attachmentIds });
    const created = await createRecords(send, { application, planned, known });
    for (const [key, id] of created) recordIds.set(key, id);
  }
  return {
    applicationId: application.id,
    collectionId: collectionOf(application, VISITS).id,
    recordId: recordIds.get(plan.shownKey)!,
    photosId: collectionOf(application, PHOTOS).id,
    attachmentId: [...attachmentIds.values()].at(-1)!,
    token,
    userId: people.admin.id,
    email: ADMIN.email,
    password: people.admin.password,
  };
}

type Send = <Answer>(path: string, body: unknown) => Promise<Answer>;

/** Only POST: the demonstration creates and never reads. */
function client(address: string, bearer: string): Send {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  return (path, body) => post(`${address}${path}`, { headers, body: JSON.stringify(body) });
}

type Upload = (file: { name: string; creatorId: string; content: Uint8Array }) => Promise<{ id: string }>;

const uploadTo =
  (url: string, bearer: string): Upload =>
  ({ name, creatorId, content }) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${name}"`,
      'x-service-creatorid': creatorId,
    };
    return post(url, { headers, body: content });
  };

async function post<Answer>(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string | Uint8Array },
): Promise<Answer> {
  const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(REQUEST_MS_MAX) };
  const response = await fetch(url, request).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`The demonstration could not be loaded: POST ${url} had no answer: ${cause}`, { cause: error });
  });
  const answer = await response.text();
  if (response.status !== 200) {
    throw new Error(`The demonstration could not be loaded: POST ${url} answered ${response.status}: ${answer}`);
  }
  return JSON.parse(answer) as Answer;
}

const PICTURE_SEED = 5;

/** Uploaded as the user who took the photo. */
async function uploadPictures(
  upload: Upload,
  { records }: PlannedCollection,
  { userIds, attachmentIds }: { userIds: Known['userIds']; attachmentIds: Map<string, string> },
): Promise<void> {
  const dice = createDice(PICTURE_SEED);
  for (const { creator, values } of records) {
    for (const value of Object.values(values)) {
      if (value === undefined || !('fileName' in value)) continue;
      const file = {
        name: value.fileName,
        creatorId: userIds.get(creator)!,
        content: drawBuilding(value.floors, dice),
      };
      attachmentIds.set(value.fileName, (await upload(file)).id);
    }
  }
}

interface CreatedPeople {
  readonly userIds: ReadonlyMap<string, string>;
  readonly admin: { readonly id: string; readonly password: string };
}

async function createPeople(operate: Send, applicationId: string): Promise<CreatedPeople> {
  const userIds = new Map<string, string>();
  let admin = { id: '', password: '' };
  for (const person of PEOPLE) {
    const password = makePassword();
    const { id } = await operate<ManagementUser>(`/applications/${applicationId}/users`, newUser(person, password));
    userIds.set(person.name, id);
    if (person === ADMIN) admin = { id, password };
  }
  return { userIds, admin };
}

function newUser({ name, email, admin, profile, team, teamLeader }: Person, password: string): NewUser {
  const access = {
    admin,
    apiAccess: true,
    managementApiAccess: admin,
    organizationManagementApiAccess: admin,
  };
  return { name, email, password, ...access, profile: { name: profile }, team: { name: team }, teamLeader };
}

// Without letters and digits that look alike: users type these from the screen.
const PASSWORD_GROUPS = [
  { characters: 'abcdefghijkmnpqrstuvwxyz', count: 6 },
  { characters: 'ABCDEFGHJKLMNPQRSTUVWXYZ', count: 6 },
  { characters: '23456789', count: 6 },
] as const;

/** 73 random bits, with every kind of character that the strength rule asks for. */
export function makePassword(): string {
  return PASSWORD_GROUPS.map(({ characters, count }) =>
    Array.from({ length: count }, () => characters[randomInt(characters.length)]).join(''),
  ).join('-');
}

/** The identifiers of the created records by key. */
async function createRecords(
  send: Send,
  { application, planned, known }: { application: Application; planned: PlannedCollection; known: Known },
): Promise<Map<string, string>> {
  const collection = collectionOf(application, planned.name);
  const created = new Map<string, string>();
  for (let start = 0; start < planned.records.length; start += RECORDS_MAX) {
    const batch = planned.records.slice(start, start + RECORDS_MAX);
    const bodies = batch.map((record) => fillRecord(collection, record, known));
    const answer = await send<{ id: string }[]>(`/collections/${collection.id}/records`, bodies);
    for (const [index, { key }] of batch.entries()) created.set(key, answer[index]!.id);
  }
  return created;
}

function collectionOf({ collections }: Application, name: string) {
  const collection = collections.find((one) => one.name === name);
  if (collection === undefined) throw new Error(`The published demonstration has no collection ${name}.`);
  return collection;
}
