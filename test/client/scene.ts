// An application with a column of every type, and clients of it: straight to the server, and through a troubled proxy.

import { type Client, createClient } from '../../client/src/client.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TroubledProxy, troubledProxy } from './troubled-proxy.ts';

const flags = { sortable: true, searchable: true };

export const SITES = {
  name: 'Sites',
  columns: [
    { name: 'Name', type: 'String', ...flags },
    { name: 'Code', type: 'String', unique: true, ...flags },
    { name: 'Floors', type: 'Number', ...flags },
  ],
};

export const VISITS = {
  name: 'Visits',
  columns: [
    { name: 'Title', type: 'String', ...flags },
    { name: 'Number', type: 'Number', unique: true, ...flags },
    { name: 'Passed', type: 'Boolean', ...flags },
    { name: 'Started', type: 'DateTime', ...flags },
    { name: 'Day', type: 'Date', ...flags },
    { name: 'Opens', type: 'Time', ...flags },
    { name: 'Place', type: 'Location' },
    { name: 'Inspector', type: 'User', ...flags },
    { name: 'Photo', type: 'Attachment' },
    {
      name: 'Address',
      type: 'Object',
      scheme: {
        keys: [
          { name: 'City', type: 'String' },
          { name: 'Since', type: 'DateTime' },
        ],
      },
    },
    { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
    {
      name: 'Parts',
      type: 'Array',
      scheme: { element: { type: 'Object', scheme: { keys: [{ name: 'Name', type: 'String' }] } } },
    },
    { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' }, ...flags },
  ],
};

export interface Scene {
  readonly server: TestServer;
  readonly app: TestApplication;
  readonly proxy: TroubledProxy;
  readonly client: Client;
  /** Through the proxy. */
  readonly troubled: Client;
  close(): Promise<void>;
}

export async function openScene(document: object = {}): Promise<Scene> {
  const server = await startTestServer();
  const app = await publishApplication(server, { collections: [SITES, VISITS], ...document });
  const proxy = await troubledProxy(server.address);
  const options = { application: app.id, token: app.admin.token };
  return {
    server,
    app,
    proxy,
    client: createClient({ url: server.address, ...options }),
    troubled: createClient({ url: proxy.address, ...options }),
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}

/** Everything of an async source. */
export async function all<Element>(source: AsyncIterable<Element>): Promise<Element[]> {
  const elements: Element[] = [];
  for await (const element of source) elements.push(element);
  return elements;
}
