// Mass assignment: a body sets what its operation is for and nothing else. Members that the server assigns, rights, and
// members of other shapes are refused on every route that takes JSON.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

/** None of these belongs to any shape. */
const FOREIGN = [
  'isAdmin',
  'role',
  'roles',
  'permissions',
  'applicationId',
  'passwordHash',
  'createdOn',
  'ownerId',
  '$set',
];
/** Those belong to some: given where they do not belong, they are refused. */
const ASSIGNED = ['hash', 'createdBy', 'owner', 'operator', 'admin', 'version', 'lastUsedAt', 'tokenId'];

/** A publish document is checked as a whole, in test/operator/publish-document.test.ts. */
const TARGETS = ROWS.filter(({ body }) => body !== undefined && Object.keys(body.schema).length > 0);

const membersOf = ({ body }: Row): readonly string[] =>
  [...JSON.stringify(body?.schema).matchAll(/"(\w+)":/g)].map(([, name]) => name ?? '');

describe('members that a body must not have', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const sendWith = async (row: Row, member: string) => {
    const { server, ours } = tenants;
    const example = JSON.parse(bodyOf(row));
    const bad = { [member]: 'x' };
    const body = JSON.stringify(Array.isArray(example) ? [{ ...example[0], ...bad }] : { ...example, ...bad });
    const token = row.side === 'operator' ? OPERATOR_KEY : ours.app.admin.token;
    const credentials = row.side === 'visitor' ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...row.headers, 'content-type': 'application/json', ...credentials };
    return send(server.address, row.method, pathOf(row, ours.things), { headers, body });
  };

  for (const row of TARGETS) {
    it(`${row.title} refuses them`, async () => {
      const before = await stateOf(tenants.ours);
      const own = new Set(membersOf(row));
      for (const member of [...FOREIGN, ...ASSIGNED].filter((name) => !own.has(name))) {
        const { status, body, text } = await sendWith(row, member);
        assert.ok(status >= 400 && status < 500, `${member}: ${status} ${text}`);
        assert.ok(!['UNAUTHORIZED', 'FORBIDDEN'].includes(body.code), `${member} was not looked at: ${text}`);
      }
      assert.equal(await stateOf(tenants.ours), before);
    });
  }
});
