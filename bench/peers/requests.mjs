// @ts-check
// The requests of an operation, in the words of the side that is asked.

import { operationNamed } from '../operations.mjs';
import { peerRequests } from './peers.mjs';

/**
 * @param {string} operation
 * @param {import('../operations.mjs').Target} target
 * @returns {(n: number) => Buffer | undefined} the n-th request; undefined: no more
 */
export const requestsFor = (operation, target) =>
  'peer' in target
    ? peerRequests(operation, /** @type {import('./dialect.mjs').PeerTarget} */ (target))
    : operationNamed(operation).requests(target);
