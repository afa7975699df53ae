// The client of one application.

import { Collection } from './collection.ts';
import { Definitions } from './definition.ts';
import type { RawOperations } from './operation-types.ts';
import { type Management, management, type Sessions, sessions, type Users, users } from './people.ts';
import type { Quota } from './quotas.ts';
import { rawOperations } from './raw.ts';
import { Records } from './records.ts';
import type { ApplicationDefinition } from './shapes.ts';
import { type ConnectionOptions, Transport } from './transport.ts';
import type { AnyApplication, CollectionName } from './typed.ts';

export interface Client<App = AnyApplication> {
  /** Every operation of the interface with values as they are on the wire, under the names of the OpenAPI document. */
  readonly raw: RawOperations;
  /** A collection by its name or ID. Nothing is fetched before it is used. */
  collection<Name extends CollectionName<App>>(name: Name): Collection<App, Name>;
  /** The application's definition. It is kept, and fetched again when it turns out to be out of date, or with `refresh`. */
  definition(options?: { readonly refresh?: boolean }): Promise<ApplicationDefinition>;
  readonly users: Users;
  readonly management: Management;
  readonly session: Sessions;
  /** What the last replies told about quotas, by group; empty where no limit applies. */
  quotas(): readonly Quota[];
}

/**
 * A client of one application. `App` are its types as `cartulary types` writes them; without them, collections and columns
 * may have any name. Nothing is sent before the first call.
 */
export function createClient<App = AnyApplication>(options: ConnectionOptions): Client<App> {
  const transport = new Transport(options);
  const raw = rawOperations(transport);
  const definitions = new Definitions(raw);
  const records = new Records(raw, definitions);
  return {
    raw,
    collection: (name) => new Collection(records, name),
    definition: ({ refresh = false } = {}) => (refresh ? definitions.refresh() : definitions.get()),
    users: users(raw),
    management: management(raw),
    session: sessions(raw),
    quotas: () => [...transport.quotas.values()],
  };
}
