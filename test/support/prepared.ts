// A published application as the server's own functions take it, read from the database: for tests that look at
// statements before they are run.

import { type PreparedApplication, prepareApplication } from '../../src/domain/definition/application.ts';
import type { Caller } from '../../src/domain/people/access.ts';
import type { TestDatabase } from './database.ts';

export async function preparedApplication(database: TestDatabase, applicationId: string): Promise<PreparedApplication> {
  const [row] = await database.sql('select definition, version, generation from cartulary.applications where id = $1', [
    applicationId,
  ]);
  const [definition, version, generation] = row as [string, number, number];
  const stored = { definition: JSON.parse(definition), version, generation };
  return prepareApplication({ ...stored, singleSignOn: false, signOnEpoch: 0, preparing: undefined, isSettled: true });
}

export const callerOf = ({ id, name }: { id: string; name: string }, admin: boolean): Caller => ({
  id,
  name,
  admin,
  apiAccess: true,
  managementApiAccess: false,
  organizationManagementApiAccess: false,
});
