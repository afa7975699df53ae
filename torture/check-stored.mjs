// @ts-check
// After a round, from below and beside: what the tables hold, one entry of the activity log for each change, whole files,
// users, versions, and whether the histories of registers can be explained.

import { listAll, read, sendPatiently } from './check-records.mjs';
import { count } from './client.mjs';
import { OPERATOR_KEY } from './cluster.mjs';
import { judgeHistory } from './linearizability.mjs';
import { contentOf } from './model.mjs';
import { KEYED, THINGS } from './scene.mjs';

/** @typedef {import('./check-records.mjs').Examination} Examination */

/** @param {string} path below dist/test */
const compiled = (path) => import(new URL(`../dist/test/${path}`, import.meta.url).href);
const FILES_READ = 25;

/** Text, hash, times and projections of every record agree, and a publishing has left nothing over. @param {Examination} examination */
export async function checkTables(examination) {
  const { cluster, scene, violation, checked } = examination;
  const { assertRecordsAgree, assertNoDebris } = await compiled('support/stored-records.js');
  const { body: application } = await read(examination, cluster.nodes[0]?.address ?? '', `/v1/${scene.id}`);
  const database = { sql: cluster.sql };
  try {
    await assertNoDebris(database, application);
    for (const collection of application.collections) {
      const ids = await assertRecordsAgree(database, application, collection);
      checked('stored records', ids.length);
    }
  } catch (error) {
    violation(`what is stored does not agree: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {Examination} examination @param {string} member @returns {Promise<Map<string, Map<string, number>>>} by identifier, then by kind */
async function entriesBy({ cluster, scene }, member) {
  const rows = await cluster.sql(
    `select entry::json -> 'extra' ->> $1, (entry::json ->> 'type') || '.' || (entry::json ->> 'subType'), count(*)::int
     from app_${scene.id}.activity where entry::json -> 'extra' ->> $1 is not null group by 1, 2`,
    [member],
  );
  /** @type {Map<string, Map<string, number>>} */
  const found = new Map();
  for (const [id, kind, times] of /** @type {[string, string, number][]} */ (rows)) {
    const kinds = found.get(id) ?? new Map();
    found.set(id, kinds.set(kind, times));
  }
  return found;
}

/**
 * One entry for each change that was acknowledged, one at most for each that was not, and none besides.
 * @param {Examination} examination
 */
export async function checkLog(examination) {
  const { cluster, model, violation, checked } = examination;
  const entries = await entriesBy(examination, 'recordId');
  const address = cluster.nodes[0]?.address ?? '';
  const live = new Set();
  for (const collection of [THINGS, KEYED]) {
    for (const { id } of await listAll(examination, address, collection)) live.add(id);
  }
  const known = new Map(
    [...model.records.values()].flatMap((track) => (track.id === undefined ? [] : [[track.id, track]])),
  );
  for (const [id, track] of known) {
    checked('entries of the activity log');
    const changes = /** @type {const} */ (['create', 'update', 'delete']);
    for (const change of changes) {
      const { done, maybe } = track.changes[change];
      const found = entries.get(id)?.get(`record.${change}`) ?? 0;
      const most = change === 'update' ? done + maybe : Math.min(1, done + maybe);
      if (found < done || found > most)
        violation(`${found} entries for ${done} (${maybe}) of ${change} ${track.marker}`);
    }
    const isGone = (entries.get(id)?.get('record.delete') ?? 0) > 0;
    if (isGone === live.has(id)) violation(`${track.marker} is there, or is not, against its entries`);
  }
  for (const id of live) {
    if (entries.get(id)?.get('record.create') !== 1) violation(`${id} has not one entry for its creation`);
  }
}

/** @param {Examination} examination */
export async function checkFiles(examination) {
  const { cluster, scene, model, random, client, violation, checked } = examination;
  const rows = await cluster.sql(
    `select id, name, size::int from app_${scene.id}.attachments where state = 'available'`,
  );
  const entries = await entriesBy(examination, 'attachmentId');
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const [id, name, size] of /** @type {[string, string, number][]} */ (rows)) {
    byName.set(name, [...(byName.get(name) ?? []), id]);
    if (model.files.get(name)?.size !== size) violation(`${name} has ${size} bytes`);
    if (entries.get(id)?.get('attachment.create') !== 1) violation(`${name} has not one entry for its creation`);
  }
  for (const { name, id, done } of model.files.values()) {
    checked('files');
    const ids = byName.get(name) ?? [];
    if (ids.length > 1) violation(`${name} is stored ${ids.length} times`);
    if (done && ids[0] !== id) violation(`${name} was acknowledged and is lost`);
  }
  for (let turn = 0; turn < Math.min(FILES_READ, rows.length); turn++) {
    const [id, name, size] = /** @type {[string, string, number]} */ (random.pick(rows));
    const { address } = random.pick(cluster.nodes);
    const path = `${scene.attachments(THINGS)}/${id}`;
    const outcome = await sendPatiently(client, address, { method: 'GET', path });
    checked('contents of files');
    if (!contentOf(name, size).equals(outcome.bytes)) violation(`${name} has other content: ${outcome.status}`);
  }
}

/** @param {Examination} examination */
export async function checkUsers({ cluster, scene, model, violation, checked }) {
  const rows = await cluster.sql(
    `select name, email from app_${scene.id}.users where deleted_at is null and name <> 'Admin'`,
  );
  const found = new Map(/** @type {[string, string][]} */ (rows));
  if (found.size !== rows.length) violation('two users have the same name');
  for (const name of found.keys()) if (!model.users.has(name)) violation(`nobody made the user ${name}`);
  for (const { name, emails } of model.users.values()) {
    checked('users');
    if (!emails.includes(found.get(name) ?? null))
      violation(`the user ${name} is ${found.get(name)} instead of ${emails}`);
  }
}

/** @param {Examination} examination */
export async function checkVersions(examination) {
  const { cluster, scene, model, violation, checked } = examination;
  const path = `/operator/v1/applications/${scene.id}/versions`;
  const { body } = await read(examination, cluster.nodes[0]?.address ?? '', path, { token: OPERATOR_KEY });
  const versions = body.map((/** @type {any} */ { version }) => version);
  if (
    versions.some((/** @type {number} */ version, /** @type {number} */ at) => at > 0 && version >= versions[at - 1])
  ) {
    violation(`versions are not in order: ${versions}`);
  }
  for (const version of model.published.keys()) {
    checked('published versions');
    if (!versions.includes(version) && version > Math.min(...versions)) violation(`version ${version} is lost`);
  }
}

/** @param {Examination} examination @param {import('./client.mjs').Tally} tally */
export function checkRegisters({ model, violation, checked }, tally) {
  for (const [name, history] of model.registers) {
    const { verdict } = judgeHistory(history);
    checked('histories of registers');
    checked('steps of histories', history.length);
    const deletes = history.filter(({ kind, reply }) => kind === 'delete' && reply?.status === 204).length;
    count(tally.counted, 'deletes in histories', deletes);
    if (verdict === 'undecided') count(tally.counted, 'histories undecided');
    if (verdict === 'violation') violation(`the history of ${name} is not linearizable: ${JSON.stringify(history)}`);
  }
}
