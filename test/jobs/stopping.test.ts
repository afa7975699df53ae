// A stopping server starts no more jobs, even while it finishes requests.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { publishApplication } from '../support/application.ts';
import { createDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

it('a stopping server starts no job while it finishes a request', async () => {
  const database = await createDatabase();
  const server = await startTestServer({ database });
  let closing: Promise<void> | undefined;
  try {
    const app = await publishApplication(server, {
      collections: [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }],
    });
    // A job removes due marks of applications with nothing to deliver, four times a second.
    const note = () =>
      database.sql(
        `insert into cartulary.due_notifications (application_id, due_at, noted_at)
         values ($1, $2, $2)`,
        [app.id, new Date(Date.now() - 3_600_000).toISOString()],
      );
    const noted = async () => (await database.sql('select 1 from cartulary.due_notifications')).length > 0;
    await note();
    await until('the due mark to be removed', async () => !(await noted()));

    const headers = { authorization: `Bearer ${app.admin.token}`, 'content-type': 'application/json' };
    const url = `${server.address}/v1/${app.id}${app.records('Things')}`;
    const slow = request(url, { method: 'POST', headers: { ...headers, 'content-length': 100 } });
    slow.on('error', () => undefined);
    slow.write('{');
    await pause(100);
    closing = server.close();
    await pause(300);
    await note();
    await pause(700);
    assert.ok(await noted());
    slow.destroy();
  } finally {
    await (closing ?? server.close());
    await database.drop();
  }
});
