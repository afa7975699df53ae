// Type confusion in parameters: a parameter or member of another type than the operation reads is refused or means
// nothing. An array in the place of a text has passed checks elsewhere that the text would not have passed.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { ROUTES } from '../../src/http/routes/table.ts';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

const OTHERS: readonly unknown[] = [null, true, 7, [], ['x'], {}, { $ne: null }, [['x']]];
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

describe('values of another type', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const bearer = (row: Pick<Row, 'side'>) => ({
    authorization: `Bearer ${row.side === 'operator' ? OPERATOR_KEY : tenants.ours.app.admin.token}`,
  });

  it('are refused as any member of any body', async () => {
    const before = await stateOf(tenants.ours);
    for (const row of ROWS.filter(({ body }) => body !== undefined)) {
      const example = JSON.parse(bodyOf(row));
      if (Array.isArray(example) || Object.keys(example).length === 0) continue;
      for (const [name, right] of Object.entries(example)) {
        for (const other of OTHERS.filter((each) => kindOf(each) !== kindOf(right))) {
          const headers = { ...row.headers, 'content-type': 'application/json', ...bearer(row) };
          const body = JSON.stringify({ ...example, [name]: other });
          // A provider of single sign-on may be taken away.
          if (name === 'singleSignOn' && (other === null || kindOf(other) === 'object')) continue;
          const { status, text } = await send(tenants.server.address, row.method, pathOf(row, tenants.ours.things), {
            headers,
            body,
          });
          assert.ok(status >= 400 && status < 500, `${row.title} with ${body}: ${status} ${text}`);
        }
      }
    }
    assert.equal(await stateOf(tenants.ours), before);
  });

  it('in the query are refused, or what they would be without', async () => {
    const { server, ours } = tenants;
    for (const { method, path, caller, parameters = {} } of [...ROUTES, ...OPERATOR_ROUTES]) {
      if (method !== 'GET' || path.endsWith('/backup')) continue;
      const plain = pathOf({ title: path, path }, ours.things);
      const headers = bearer({ side: caller === 'operator' ? 'operator' : 'interface' });
      const get = (query: string) => send(server.address, method, `${plain}?${query}`, { headers });
      const bare = await get('');
      for (const name of Object.keys(parameters)) {
        for (const query of [`${name}[]=1`, `${name}[$ne]=1`, `${name}[0]=1`]) {
          const { status, text } = await get(query);
          assert.ok(status === bare.status || status === 400, `${plain}?${query}: ${status} ${text}`);
        }
        for (const query of [`${name}=1&${name}=2`, `${name}=[1]`, `${name}={"a":1}`, `${name}=true`, name]) {
          const { status, text } = await get(query);
          assert.ok(status < 500, `${plain}?${query}: ${status} ${text}`);
        }
      }
    }
  });

  it('delete nothing where a parameter narrows down what to delete', async () => {
    const { app } = tenants.ours;
    const before = await stateOf(tenants.ours);
    for (const query of [
      'search[]=x',
      'search[$ne]=x',
      'search=x&search=y',
      'limit[]=1',
      'limit=1&limit=2',
      'search',
      'Search=x',
    ]) {
      const { status, text } = await app.send('DELETE', `${app.records('Things')}?${query}`);
      assert.equal(status, 400, `${query}: ${status} ${text}`);
    }
    assert.equal(await stateOf(tenants.ours), before);
  });
});
