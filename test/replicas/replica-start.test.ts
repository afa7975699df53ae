// What a server says at its start about the replicas that its settings name.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { start } from '../support/command.ts';
import { type OwnPostgres, ownPostgres } from '../support/own-postgres.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('the start of a server with replicas', () => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  let stranger: OwnPostgres;
  let folder: string;
  let server: ServerProcess | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-replicas-'));
    primary = await ownPostgres();
    stranger = await ownPostgres();
    standby = await primary.standby();
    await primary.start();
    await stranger.start();
  });
  after(async () => {
    await server?.end('SIGKILL');
    for (const each of [primary, standby, stranger]) await each?.end('SIGKILL');
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const urlOf = ({ connection: { user, port, database } }: OwnPostgres) =>
    `postgres://${user}@127.0.0.1:${port}/${database}`;
  const environment = (urls: string) => ({
    DATABASE_URL: urlOf(primary),
    CARTULARY_REPLICA_URLS: urls,
    CARTULARY_DATA: folder,
    CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
    CARTULARY_PORT: '0',
    CARTULARY_LOG_LEVEL: 'info',
  });
  const refusal = async (urls: string) => {
    const { code, stderr } = await start(['serve'], { cwd: folder, env: environment(urls) }).finished;
    assert.equal(code, 1, stderr);
    return stderr;
  };

  it('refuses an address that is not that of a standby of the same system', async () => {
    const { port } = stranger.connection;
    const other = await refusal(urlOf(stranger));
    assert.match(
      other,
      new RegExp(`CARTULARY_REPLICA_URLS .*127\\.0\\.0\\.1:${port} belongs to another database system`),
    );
    assert.match(await refusal(urlOf(primary)), /CARTULARY_REPLICA_URLS .* accepts writes, so it is not a standby/);
    const unknown = await refusal(urlOf(stranger).replace(/[^/]+$/, 'unknown'));
    assert.match(unknown, /CARTULARY_REPLICA_URLS .*unknown/);
  });

  it('does not wait for a replica that is away, and says when it is found', async () => {
    const replica = `127.0.0.1:${standby.connection.port}`;
    server = await spawnServer(environment(urlOf(standby)));
    const { address } = server;
    const said = (event: string) =>
      server?.output().includes(`"replica":"${replica}"`) && server.output().includes(event);
    await until('the word of it', () => said('replica.away') === true);
    assert.equal((await sendTo(address, 'GET', '/readyz')).body.replicasAway, 1);
    await standby.start();
    await until('the replica', () => said('replica.found') === true);
    assert.equal((await sendTo(address, 'GET', '/readyz')).body.replicasAway, 0);
  });
});
