// What commands do only on a terminal: they ask, hide a password, and cut tables to its width. A pseudo-terminal comes
// from script(1).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openTerminal, type Terminal } from '../support/user-command.ts';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const SCRIPT = '/usr/bin/script';
const MS_MAX = 60_000;
const isMissing = existsSync(SCRIPT) && process.platform === 'linux' ? false : 'there is no script(1) of util-linux';

describe('on a terminal', { skip: isMissing }, () => {
  let server: TestServer;
  let app: TestApplication;
  let me: Terminal;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, {
      name: 'Field work',
      collections: [{ name: 'Visits', columns: ['Title', 'Note'].map((name) => ({ name, type: 'String' })) }],
    });
    me = await openTerminal(server);
    const { Title = '', Note = '' } = app.ids.Visits!;
    const json = { values: { [Title]: string('屋根の雨漏り点検'.repeat(9)), [Note]: string('a short note') } };
    await app.send('POST', app.records('Visits'), { json });
  });
  after(async () => {
    await me.close();
    await server.close();
  });

  /** Types each answer after its question; returns what the terminal showed, and the exit code. */
  function at(
    command: string,
    answers: readonly (readonly [RegExp, string])[],
  ): Promise<{ shown: string; code: number }> {
    const run = `stty cols 80; '${process.execPath}' '${MAIN}' ${command}`;
    const child = spawn(SCRIPT, ['-qec', run, '/dev/null'], {
      cwd: me.folder,
      env: {
        PATH: process.env.PATH ?? '',
        NODE_NO_WARNINGS: '1',
        TERM: 'xterm',
        SHELL: '/bin/sh',
        XDG_CONFIG_HOME: join(me.folder, 'config'),
        XDG_CACHE_HOME: join(me.folder, 'cache'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), MS_MAX);
    const left = [...answers];
    let shown = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const [question, answer] = left[0] ?? [];
      if (question === undefined || !question.test(shown.slice(seen))) return;
      seen = shown.length;
      left.shift();
      child.stdin.write(`${answer}\r`);
    });
    return new Promise((resolve) => {
      child.on('close', (code) => {
        clearTimeout(timer);
        child.stdin.destroy();
        resolve({ shown: shown.replaceAll('\r', ''), code: code ?? -1 });
      });
    });
  }

  it('asks for what is missing, shows no password, and asks before deleting', async () => {
    const { id, password } = app.admin;
    const login = await at('login', [
      [/Address of the server.*\[http:\/\/127\.0\.0\.1:8080\]: /, `${server.address}/console/${app.id}`],
      [/User \(ID or e-mail address\): /, id],
      [/Password: /, password],
    ]);
    assert.equal(login.code, 0, login.shown);
    assert.match(login.shown, /^Logged in to Field work /m);
    assert.ok(!login.shown.includes(password));
    const no = await at('records delete Visits --all', [[/Delete all records of Visits: 1 record\? \[y\/N\]: /, 'n']]);
    assert.deepEqual([no.code, /^Nothing was deleted\.$/m.test(no.shown)], [2, true], no.shown);
    const list = await at('records list Visits', []);
    assert.match(list.shown, /^r\w{26} {2}屋根[^ ]*… {2}a short note$/m);
    const yes = await at('records delete Visits --all', [[/\[y\/N\]: /, 'y']]);
    assert.match(yes.shown, /Deleted 1 record of Visits\.$/m);
  });
});
