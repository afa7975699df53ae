// @ts-check
// What a cluster holds, every few seconds: memory and file handles by the kernel's count, heap and requests by the server's
// own, and connections by the database's.

import { setTimeout as pause } from 'node:timers/promises';
import { resident } from '../../bench/memory.mjs';
import { OPERATOR_KEY } from '../cluster.mjs';
import { openFiles } from '../fuzz/growth.mjs';

/**
 * @typedef {object} NodeSample
 * @property {number} ageSeconds of its process
 * @property {number} memory
 * @property {number} handles file handles, without the connections of clients, which come and go with the load
 * @property {number} clients their connections, as the wire counts them: one that only the server has left is a handle
 * @property {number | undefined} heap
 * @property {number | undefined} requests under way
 *
 * @typedef {object} Sample
 * @property {number} second since the load began
 * @property {boolean} isMet whether a fault lasted
 * @property {(NodeSample | undefined)[]} nodes
 * @property {number | undefined} connections of the database
 * @property {number | undefined} p50
 * @property {number | undefined} p99
 */

const METRICS_MS = 2_000;

/** @param {string} text @param {string} name */
function figure(text, name) {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** When each process was seen first. @param {Map<number, number>} seen @param {import('../cluster.mjs').ClusterNode} node @returns {Promise<NodeSample | undefined>} */
async function sampleNode(seen, { process: running, front }) {
  const pid = running?.child.pid;
  const memory = pid === undefined ? undefined : resident(pid);
  if (running === undefined || pid === undefined || memory === undefined) return undefined;
  const first = seen.get(pid) ?? performance.now();
  seen.set(pid, first);
  const clients = front.connections();
  const handles = openFiles(pid) - clients;
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const metrics = await fetch(`${running.address}/metrics`, { headers, signal: AbortSignal.timeout(METRICS_MS) })
    .then((reply) => reply.text())
    .catch(() => '');
  return {
    ...{ ageSeconds: (performance.now() - first) / 1_000, memory, handles, clients },
    heap: figure(metrics, 'nodejs_heap_size_used_bytes'),
    requests: figure(metrics, 'cartulary_requests_in_flight'),
  };
}

/**
 * @param {import('../cluster.mjs').Cluster} cluster
 * @param {import('./meter.mjs').Meter} meter
 * @param {{ everySeconds: number, stopped: () => boolean, onSample: (sample: Sample) => void }} options
 * @returns {Promise<Sample[]>}
 */
export async function sampleOften(cluster, meter, { everySeconds, stopped, onSample }) {
  /** @type {Sample[]} */
  const samples = [];
  /** @type {Map<number, number>} */
  const seen = new Map();
  const began = performance.now();
  for (let turn = 1; !stopped(); turn++) {
    const due = began + turn * everySeconds * 1_000;
    // In short steps, so that the end is not waited for.
    while (!stopped() && performance.now() < due) await pause(Math.min(100, Math.max(1, due - performance.now())));
    const from = performance.now();
    const nodes = await Promise.all(cluster.nodes.map((node) => sampleNode(seen, node)));
    const rows = await cluster
      .sql("select count(*)::int from pg_stat_activity where application_name like 'cartulary%'")
      .catch(() => []);
    const isMet = meter.isMet(from, performance.now());
    const { p50, p99 } = meter.interval();
    const connections = rows[0] === undefined ? undefined : Number(rows[0][0]);
    const sample = { second: (from - began) / 1_000, isMet, nodes, connections, p50, p99 };
    samples.push(sample);
    onSample(sample);
  }
  return samples;
}
