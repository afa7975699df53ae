// @ts-check
// The application of a round: new for each, so that a round can be repeated by itself, and removed when it was checked.

import { Client } from './client.mjs';

export const THINGS = 'tthings0';
export const KEYED = 'tkeyed00';
export const CLAIMS = 'tclaims0';
export const REGISTERS = 'tregist0';
export const SHIFTING = 'tshiftin';
export const COLUMN = {
  code: 'ccode000',
  tag: 'ctag0000',
  size: 'csize000',
  note: 'cnote000',
  file: 'cfile000',
  key: 'ckey0000',
  amount: 'camount0',
  claim: 'cclaim00',
  register: 'cregist0',
  value: 'cvalue00',
  shiftCode: 'csfcode0',
  shiftOld: 'csfold00',
  shiftForm: 'csfform0',
};

/** Of a loaded machine: nothing fails meanwhile. */
const PATIENCE_MS = 120_000;
const LAST_WORDS = 1_000;

const FOUND = { searchable: true, sortable: true };
const SIZES = { id: COLUMN.size, name: 'Size', type: 'Number', ...FOUND };
const NOTES = { id: COLUMN.note, name: 'Note', type: 'String' };

/** As it is published first. @returns {any} */
export const firstDocument = () => ({
  name: 'Torture',
  activityLogEnabled: true,
  profiles: ['Standard'],
  collections: [
    {
      id: THINGS,
      name: 'Things',
      columns: [
        { id: COLUMN.code, name: 'Code', type: 'String', ...FOUND },
        { id: COLUMN.tag, name: 'Tag', type: 'String', searchable: true },
        SIZES,
        NOTES,
        { id: COLUMN.file, name: 'File', type: 'Attachment' },
      ],
    },
    {
      id: KEYED,
      name: 'Keyed',
      columns: [
        { id: COLUMN.key, name: 'Key', type: 'String', unique: true, searchable: true },
        { id: COLUMN.amount, name: 'Amount', type: 'Number' },
      ],
    },
    {
      id: CLAIMS,
      name: 'Claims',
      columns: [{ id: COLUMN.claim, name: 'Claim', type: 'String', unique: true }],
    },
    {
      id: REGISTERS,
      name: 'Registers',
      columns: [
        { id: COLUMN.register, name: 'Register', type: 'String', unique: true, searchable: true },
        { id: COLUMN.value, name: 'Value', type: 'Number' },
      ],
    },
    {
      id: SHIFTING,
      name: 'Shifting',
      columns: [
        { id: COLUMN.shiftCode, name: 'Code', type: 'String', searchable: true },
        { id: COLUMN.shiftOld, name: 'Old', type: 'String' },
        { id: COLUMN.shiftForm, name: 'Form', type: 'Object', scheme: { keys: [{ name: 'A', type: 'String' }] } },
      ],
    },
  ],
});

/**
 * @typedef {object} Scene
 * @property {string} id of the application
 * @property {string} token of its admin
 * @property {string} userId
 * @property {(collection: string, recordId?: string) => string} records path
 * @property {(collection: string) => string} attachments path
 * @property {(collection: string, id?: string) => string} uploads path
 * @property {string} users path
 */

/**
 * @param {import('./cluster.mjs').Cluster} cluster that is whole
 * @param {import('./client.mjs').Tally} tally
 * @returns {Promise<Scene>}
 */
export async function publishScene(cluster, tally) {
  const { nodes } = cluster;
  const client = new Client(tally, '');
  const address = nodes[0]?.address ?? '';
  const ask = async (/** @type {string} */ path, /** @type {object} */ json) => {
    const began = performance.now();
    const { status, body } = await client.operator(address, { method: 'POST', path, json, replyMs: PATIENCE_MS });
    if (status === 200) return body;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const what = `POST ${path} of a whole cluster: ${status} ${JSON.stringify(body)} after ${seconds} s`;
    throw new Error(`${what}\n${await stateOf(cluster)}`);
  };
  try {
    const { application } = await ask('/applications', firstDocument());
    const { id } = application;
    const user = await ask(`/applications/${id}/users`, {
      ...{ name: 'Admin', email: 'admin@example.com', password: 'Torture-Passw0rd', profile: { name: 'Standard' } },
      ...{ admin: true, apiAccess: true, managementApiAccess: true, organizationManagementApiAccess: true },
    });
    const { token } = await ask(`/applications/${id}/users/${user.id}/tokens`, { name: 'torture' });
    const collectionPath = (/** @type {string} */ collection) => `/v1/${id}/collections/${collection}`;
    const below = (/** @type {string | undefined} */ part) => (part === undefined ? '' : `/${part}`);
    return {
      id,
      token,
      userId: user.id,
      records: (collection, recordId) => `${collectionPath(collection)}/records${below(recordId)}`,
      attachments: (collection) => `${collectionPath(collection)}/attachments`,
      uploads: (collection, upload) => `${collectionPath(collection)}/uploads${below(upload)}`,
      users: `/v1/${id}/management/users`,
    };
  } finally {
    client.close();
  }
}

/** Of a cluster that should be whole: what the database is doing, and what the nodes have said last. @param {import('./cluster.mjs').Cluster} cluster */
async function stateOf({ nodes, sql }) {
  const rows = await sql(
    `select application_name, state, wait_event, now() - xact_start, left(query, 200) from pg_stat_activity
     where state <> 'idle'`,
  ).catch((error) => [[String(error)]]);
  const said = nodes.map((node) => `${node.name}: ${node.process?.output().slice(-LAST_WORDS) ?? 'not running'}`);
  return [...rows.map((row) => row.join(' | ')), ...said].join('\n');
}

/** @param {import('./cluster.mjs').Cluster} cluster @param {Scene} scene @param {import('./client.mjs').Tally} tally */
export async function removeScene(cluster, { id }, tally) {
  const client = new Client(tally, '');
  const path = `/applications/${id}`;
  const sent = { method: 'DELETE', path, replyMs: PATIENCE_MS };
  const { status } = await client.operator(cluster.nodes[0]?.address ?? '', sent);
  client.close();
  if (status !== 204) throw new Error(`the application is not removed: ${status}\n${await stateOf(cluster)}`);
}
