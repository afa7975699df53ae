// @ts-check
// The other products.

import { requestsOf } from './dialect.mjs';
import { DIRECTUS } from './directus.mjs';
import { PARSE } from './parse.mjs';
import { POCKETBASE } from './pocketbase.mjs';
import { STRAPI } from './strapi.mjs';

/** @type {readonly import('./peer.mjs').Peer[]} */
export const PEERS = [POCKETBASE, PARSE, DIRECTUS, STRAPI];

/**
 * @param {string} operation
 * @param {import('./dialect.mjs').PeerTarget} target
 */
export function peerRequests(operation, target) {
  const peer = PEERS.find(({ key }) => key === target.peer);
  if (!peer) throw new Error(`no product is called ${target.peer}`);
  return requestsOf(peer.dialect, operation, target);
}
