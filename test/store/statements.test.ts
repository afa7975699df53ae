// Golden files of the statements that requests send to PostgreSQL, for reading and for review: statements/*.sql shows them
// as they are sent, and a change of SQL shows there as a diff. CARTULARY_TEST_WRITE_GOLDEN=1 writes the files anew.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { splitStatements } from '../../src/store/database/split-statements.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { prettySql } from '../support/pretty-sql.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { recordStatements, type StatementRecorder } from '../support/statement-recorder.ts';
import { ROOT } from '../tidy/tree.ts';
import { CHAPTERS, type Chapter, DOCUMENT, type Setting } from './statement-cases.ts';

const FOLDER = join(ROOT, 'test/store/statements');
const WRITE = process.env.CARTULARY_TEST_WRITE_GOLDEN === '1';

/** Sent by the first request after a while, to look up the token and whether the schema is migrated, and by a job. */
const BEFORE_OPERATIONS = /^select (?:t\.secret_hash|migration from)|^update \S+\.tokens as t set last_used_at/;

describe('statements as they are sent', () => {
  let database: TestDatabase;
  let recorder: StatementRecorder;
  let server: TestServer;
  let app: TestApplication;
  let setting: Setting;
  /** What the first start and the first publishing sent. */
  let atStart: string[];

  before(async () => {
    database = await createDatabase();
    recorder = await recordStatements(database.connection);
    // One connection, so that the order is the same in every run.
    server = await startTestServer({
      ...{ database, connection: recorder.connection, connectionsMax: 1 },
      push: { services: ['https://push.example.com'] },
    });
    app = await publishApplication(server, DOCUMENT);
    atStart = recorder.take().flat();
    setting = { server, app, known: new Map([['Admin', app.admin.id]]) };
  });
  after(async () => {
    await server.close();
    await recorder.close();
    await database.drop();
  });

  /** Identifiers differ from run to run. */
  const named = (text: string) =>
    text
      .replaceAll(`app_${app.id}`, 'app')
      .replaceAll(app.id, '{application}')
      .replace(/\br[0-9a-v]{26}\b/g, '{record}')
      .replace(/\bv[0-9a-v]{26}\b/g, '{view}');

  async function statementsOf({ tables, cases }: Chapter): Promise<string> {
    const concerns = new RegExp(`\\bapp_${app.id}\\.(?:${tables})\\b`);
    const parts: string[] = [];
    for (const { title, request, status = 200 } of cases) {
      recorder.take();
      const reply = await request(setting);
      assert.equal(reply.status, status, `${title}: ${reply.text}`);
      // Jobs send their statements on the same connection.
      const sent = recorder
        .take()
        .filter((transaction) => transaction.some((text) => concerns.test(text) && !BEFORE_OPERATIONS.test(text)));
      const statements = sent.flatMap((transaction) =>
        transaction.map((text) => `${prettySql(named(text)).join('\n')};`),
      );
      parts.push([`-- ${title.trimEnd()}`, ...(statements.length === 0 ? ['-- (nothing)'] : statements)].join('\n'));
    }
    return `${parts.join('\n\n')}\n`;
  }

  it('one in each message, migrations included', () => {
    assert.ok(atStart.some((text) => text.includes('create index')));
    assert.deepEqual(
      atStart.filter((text) => splitStatements(text).length > 1).map((text) => text.slice(0, 70)),
      [],
    );
  });

  for (const chapter of CHAPTERS) {
    it(chapter.name, async () => {
      const file = join(FOLDER, `${chapter.name}.sql`);
      const text = `-- ${chapter.about}\n\n${await statementsOf(chapter)}`;
      if (WRITE) writeFileSync(file, text);
      assert.equal(text, readFileSync(file, 'utf8'), 'CARTULARY_TEST_WRITE_GOLDEN=1 writes it anew; look at the diff');
    });
  }
});
