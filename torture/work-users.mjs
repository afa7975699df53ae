// @ts-check
// What clients do with users of the application: each is made, changed and deleted by one client.

import { judgeRefusal } from './worker.mjs';

/** @typedef {import('./worker.mjs').Worker} Worker */

const PASSWORD = 'Torture-Passw0rd';
const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };

/** @param {Worker} worker */
const ownUsers = ({ model, name }) =>
  [...model.users.values()].filter(
    (user) => user.settled && user.name.startsWith(`${name}n`) && user.emails[0] !== null,
  );

/** @param {import('./model.mjs').UserTrack} user @param {string | null} email */
function maybe(user, email) {
  user.emails = [...user.emails, email];
  user.settled = false;
}

/** @param {Worker} worker */
async function create(worker) {
  const name = worker.marker();
  const email = `${name}@example.com`;
  /** @type {import('./model.mjs').UserTrack} */
  const user = { name, id: undefined, emails: [null], settled: true };
  worker.model.users.set(name, user);
  const json = { name, email, password: PASSWORD, ...RIGHTS };
  const outcome = await worker.send({ method: 'POST', path: worker.scene.users, json });
  judgeRefusal(worker, outcome, 'a new user');
  if (outcome.certainty === 'maybe') maybe(user, email);
  if (outcome.certainty !== 'done') return;
  user.id = outcome.body.id;
  user.emails = [email];
}

/** @param {Worker} worker */
async function update(worker) {
  const users = ownUsers(worker);
  if (users.length === 0) return create(worker);
  const user = worker.random.pick(users);
  const email = `${worker.marker()}@example.com`;
  const json = { email, disabled: false, ...RIGHTS };
  const outcome = await worker.send({ method: 'PUT', path: `${worker.scene.users}/${user.id}`, json });
  judgeRefusal(worker, outcome, `an update of the user ${user.name}`);
  if (outcome.certainty === 'maybe') maybe(user, email);
  if (outcome.certainty === 'done') user.emails = [email];
}

/** @param {Worker} worker */
async function remove(worker) {
  const users = ownUsers(worker);
  if (users.length === 0) return;
  const user = worker.random.pick(users);
  const outcome = await worker.send({ method: 'DELETE', path: `${worker.scene.users}/${user.id}` });
  judgeRefusal(worker, outcome, `the deletion of the user ${user.name}`);
  if (outcome.certainty === 'maybe') maybe(user, null);
  if (outcome.certainty === 'done') user.emails = [null];
}

/** @type {Record<string, import('./worker.mjs').Operation>} */
export const USER_OPERATIONS = {
  'users created': { weight: 0.6, run: create },
  'users updated': { weight: 1, run: update },
  'users deleted': { weight: 0.3, run: remove },
};
