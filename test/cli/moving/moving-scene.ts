// What the tests of import and export share: an application with a column of every type, and the commands run against it.

import assert from 'node:assert/strict';
import { publishApplication, type TestApplication } from '../../support/application.ts';
import { type Finished, type Run, type Running, run, start } from '../../support/command.ts';
import { OPERATOR_KEY, type TestServer } from '../../support/server.ts';

const ADDRESS_KEYS = [
  { name: 'Street', type: 'String' },
  { name: 'Since', type: 'Date' },
];

export const EVERY_TYPE = [
  { name: 'Code', type: 'String', unique: true, searchable: true, sortable: true },
  { name: 'Amount', type: 'Number' },
  { name: 'Done', type: 'Boolean' },
  { name: 'At', type: 'DateTime' },
  { name: 'Day', type: 'Date' },
  { name: 'Hour', type: 'Time' },
  { name: 'Place', type: 'Location' },
  { name: 'Owner', type: 'User' },
  { name: 'Photo', type: 'Attachment' },
  { name: 'Address', type: 'Object', scheme: { keys: ADDRESS_KEYS } },
  { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } } },
  { name: 'Papers', type: 'Array', scheme: { element: { type: 'Attachment' } } },
  { name: 'Homes', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys: ADDRESS_KEYS } } } },
  { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' } },
  { name: 'Level', type: 'ReferenceNumber', scheme: { collection: 'Sites', column: 'Level' } },
  { name: 'Keeper', type: 'ReferenceUser', scheme: { collection: 'Sites', column: 'Keeper' } },
];

export const SITES = [
  { name: 'Name', type: 'String', unique: true, searchable: true },
  { name: 'Level', type: 'Number', searchable: true },
  { name: 'Nick', type: 'String', searchable: true },
  { name: 'Keeper', type: 'User' },
];

export interface Scene {
  readonly app: TestApplication;
  /** Runs a command as the admin of the application, in a folder. */
  cartulary(args: readonly string[], options: Pick<Run, 'cwd' | 'msMax'>): Promise<Finished>;
  begin(args: readonly string[], options: Pick<Run, 'cwd' | 'msMax'>): Running;
  /** Fails unless the command succeeds. */
  good(args: readonly string[], options: Pick<Run, 'cwd' | 'msMax'>): Promise<string>;
  /** All records of a collection, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  all(collection: string): Promise<any[]>;
}

export async function makeScene(
  server: Pick<TestServer, 'address' | 'operator' | 'send'>,
  collections: readonly object[],
): Promise<Scene> {
  const app = await publishApplication(server, { name: 'Moving', collections });
  const runOptions = (options: Pick<Run, 'cwd' | 'msMax'>): Run => ({
    ...options,
    env: { CARTULARY_TOKEN: app.admin.token, XDG_CONFIG_HOME: options.cwd },
  });
  const words = (args: readonly string[]) => [...args, '--url', `${server.address}/v1/${app.id}`];
  const cartulary = (args: readonly string[], options: Pick<Run, 'cwd' | 'msMax'>) =>
    run(words(args), runOptions(options));
  return {
    app,
    cartulary,
    begin: (args, options) => start(words(args), runOptions(options)),
    good: async (args, options) => {
      const { code, stdout, stderr } = await cartulary(args, options);
      assert.equal(code, 0, `${stderr}\n${stdout}`);
      return stdout;
    },
    all: (collection) => allRecords(app, collection),
  };
}

async function allRecords(app: TestApplication, collection: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const all: any[] = [];
  for (let after = ''; ; after = `&after=${all.at(-1).id}`) {
    const path = `${app.records(collection)}?sortKey=createdAt&sortOrder=ascending&limit=100${after}`;
    const { body, status } = await app.send('GET', path);
    assert.equal(status, 200);
    all.push(...body);
    if (body.length < 100) return all;
  }
}

/** For commands of the operator, with a config folder of their own. */
export const operatorEnvironment = (
  { address }: Pick<TestServer, 'address'>,
  folder: string,
): Record<string, string> => {
  const { hostname, port } = new URL(address);
  return {
    CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
    CARTULARY_HOST: hostname,
    CARTULARY_PORT: port,
    XDG_CONFIG_HOME: folder,
  };
};
