// An application for tests, published through the operator's door, and the people in it.

import assert from 'node:assert/strict';
import type { Reply, SendOptions, TestServer } from './server.ts';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly token: string;
}

export interface TestApplication {
  readonly id: string;
  readonly admin: Person;
  /** Column and collection identifiers by name: `ids.Visits.id`, `ids.Visits.Title`. */
  readonly ids: Record<string, Record<string, string>>;
  /** A request below `/v1/{applicationId}`, as the admin unless another token is given. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** Path of a collection's records. */
  records(collection: string, recordId?: string): string;
  addPerson(name: string, flags?: Record<string, unknown>): Promise<Person>;
}

const PASSWORD = 'Secret-Passw0rd';

export async function publishApplication(
  server: Pick<TestServer, 'operator' | 'send'>,
  document: object,
): Promise<TestApplication> {
  const published = await server.operator('POST', '/applications', {
    name: 'Test',
    activityLogEnabled: true,
    ...document,
  });
  assert.equal(published.status, 200, published.text);
  const { id, collections } = published.body.application as {
    id: string;
    collections: { id: string; name: string; columns: { id: string; name: string }[] }[];
  };
  const ids = Object.fromEntries(
    collections.map((c) => [
      c.name,
      { id: c.id, ...Object.fromEntries(c.columns.map((column) => [column.name, column.id])) },
    ]),
  );
  const addPerson = async (name: string, flags: Record<string, unknown> = {}): Promise<Person> => {
    const user = await server.operator('POST', `/applications/${id}/users`, {
      name,
      email: 'person@example.com',
      password: PASSWORD,
      admin: false,
      apiAccess: true,
      managementApiAccess: false,
      profile: { name: 'Standard' },
      ...flags,
    });
    assert.equal(user.status, 200, user.text);
    const token = await server.operator('POST', `/applications/${id}/users/${user.body.id}/tokens`, { name: 'test' });
    assert.equal(token.status, 200, token.text);
    return { id: user.body.id, name, password: PASSWORD, token: token.body.token };
  };
  const admin = await addPerson('Admin', {
    admin: true,
    managementApiAccess: true,
    organizationManagementApiAccess: true,
  });
  return {
    id,
    admin,
    ids,
    addPerson,
    send: (method, path, options = {}) => server.send(method, `/v1/${id}${path}`, { token: admin.token, ...options }),
    records: (collection, recordId) =>
      `/collections/${ids[collection]?.id}/records${recordId === undefined ? '' : `/${recordId}`}`,
  };
}

export const string = (value: string) => ({ type: 'String', value });
export const number = (value: number) => ({ type: 'Number', value });
