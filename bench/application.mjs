// @ts-check
// The application of the bench on a running server: published, with one admin and a token, and filled. What is needed
// to find all of it again is kept in a file, so that a kept folder is filled once.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './http-client.mjs';
import { fill } from './loading.mjs';
import { APPLICATION, publishDocument } from './work.mjs';

/**
 * @typedef {object} Filling
 * @property {number} total records that were loaded
 * @property {string} lastId the greatest identifier among them
 * @property {[number, string][]} sample number and identifier of some of them, in no order
 *
 * @typedef {object} Application
 * @property {string} token
 * @property {string} [userId] whose token it is
 * @property {Partial<Record<import('./work.mjs').CollectionName, Filling>>} fillings
 *
 * @typedef {object} Ground what the scenarios stand on
 * @property {import('./side-ours.mjs').Ours} ours
 * @property {string} operatorKey
 * @property {string} folder
 * @property {import('./tables.mjs').Tables} tables
 */

export const PASSWORD = 'Bench-Passw0rd';

/**
 * @param {Ground} ground
 * @param {Partial<Record<import('./work.mjs').CollectionName, number>>} sizes records wanted; the places before what refers to them
 * @param {string} [id] of the application whose tables those of the ground are
 * @param {object} [document] that is published
 * @returns {Promise<Application>}
 */
export async function prepareApplication(ground, sizes, id = APPLICATION, document = publishDocument({}, id)) {
  const { ours, operatorKey, folder, tables } = ground;
  const stateFile = join(folder, id === APPLICATION ? 'bench.json' : `bench-${id}.json`);
  await publish(ground, document);
  /** @type {Application} */
  const application = existsSync(stateFile)
    ? JSON.parse(readFileSync(stateFile, 'utf8'))
    : { ...(await makeCaller(ours.address, operatorKey, id)), fillings: {} };
  const keep = () => writeFileSync(stateFile, JSON.stringify(application), { mode: 0o600 });
  keep();
  for (const [key, total] of Object.entries(sizes)) {
    const name = /** @type {import('./work.mjs').CollectionName} */ (key);
    const present = application.fillings[name];
    if (present?.total === total) {
      await tables.takeBack(name, present.lastId);
      continue;
    }
    delete application.fillings[name];
    keep();
    await tables.empty(name);
    const placeIds = application.fillings.places?.sample.map(([, id]) => id) ?? [];
    const whose = { token: application.token, application: id };
    application.fillings[name] = await fill(ours.address, { ...whose, collection: name, total, placeIds });
    await tables.tidy(name);
    keep();
  }
  return application;
}

/** @param {Ground} ground @param {object} document */
export async function publish({ ours, operatorKey }, document) {
  return ask(ours.address, { method: 'POST', path: '/operator/v1/applications', token: operatorKey, body: document });
}

/** @param {string} address @param {string} operatorKey @param {string} application @param {string} [name] @returns {Promise<{ userId: string, token: string }>} */
export async function makeCaller(address, operatorKey, application, name = 'Bench') {
  const users = `/operator/v1/applications/${application}/users`;
  /** @param {string} path @param {object} body */
  const post = (path, body) => ask(address, { method: 'POST', path, token: operatorKey, body });
  const { id } = await post(users, {
    ...{ name, email: 'bench@example.com', password: PASSWORD, profile: { name: 'Standard' } },
    ...{ admin: true, apiAccess: true, managementApiAccess: true, organizationManagementApiAccess: true },
  });
  return { userId: id, token: (await post(`${users}/${id}/tokens`, { name: 'bench' })).token };
}
