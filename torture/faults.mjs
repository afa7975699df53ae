// @ts-check
// The faults: each is brought about, lasts a while, and is mended. Only those that have really met something are counted.

import { readdirSync, readFileSync } from 'node:fs';
import { control } from './cluster.mjs';
import { CLOCK, FAILED, FSYNC } from './preload.mjs';

/**
 * @typedef {import('./cluster.mjs').Cluster} Cluster
 * @typedef {import('./cluster.mjs').ClusterNode} ClusterNode
 *
 * @typedef {object} Fault
 * @property {string} group of the report
 * @property {(cluster: Cluster) => string | undefined} [impossible] why it cannot be brought about on this machine
 * @property {(cluster: Cluster) => boolean} [applies] whether this round has what it meets
 * @property {boolean} [alone] whether no other fault may last meanwhile
 * @property {(cluster: Cluster, random: import('./random.mjs').Random, tally: import('./client.mjs').Tally) => Promise<Struck>} strike
 *
 * @typedef {object} Struck
 * @property {() => boolean} met whether it has met something by now
 * @property {() => Promise<void>} mend
 */

/** @param {number} parent */
function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** @param {number} pid @param {NodeJS.Signals} signal @returns {boolean} whether there was such a process */
function signalTo(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A process that serves a node: the server, or one of its workers. @param {ClusterNode} node @param {import('./random.mjs').Random} random */
function processOf(node, random) {
  const main = node.process?.child.pid;
  if (main === undefined) return undefined;
  return node.settings.workers > 1 && random.chance(0.5) ? random.pick([main, ...childrenOf(main)]) : main;
}

/** Of a connection of a node. @param {Cluster} cluster @param {import('./random.mjs').Random} random */
async function anyBackend(cluster, random) {
  const rows = await cluster.sql("select pid from pg_stat_activity where application_name like 'cartulary%'");
  return rows.length === 0 ? undefined : Number(random.pick(rows)[0]);
}

/** @param {'front' | 'back'} side @param {import('./wire.mjs').WireFault} fault @returns {Fault} */
const wireFault = (side, fault) => ({
  group: side === 'front' ? 'between clients and nodes' : 'between nodes and database',
  strike: async ({ nodes }, random) => {
    const wire = random.pick(nodes)[side];
    wire.fail(fault);
    return { met: () => wire.met() > 0, mend: async () => wire.heal() };
  },
});

/** @param {import('./wire.mjs').WireFault} fault @returns {Fault} */
const storeFault = (fault) => ({
  group: 'object store',
  applies: ({ nodes }) => nodes.some(({ settings }) => settings.storage === 's3'),
  strike: async ({ s3 }) => {
    s3.wire.fail(fault);
    return { met: () => s3.wire.met() > 0, mend: async () => s3.wire.heal() };
  },
});

/** @param {'SIGKILL' | 'SIGSTOP'} signal @returns {Fault} */
const nodeSignal = (signal) => ({
  group: 'nodes',
  strike: async (cluster, random) => {
    const node = random.pick(cluster.nodes);
    const pid = processOf(node, random);
    const met = pid !== undefined && signalTo(pid, signal);
    const mend = async () => {
      if (signal === 'SIGSTOP') {
        if (pid !== undefined) signalTo(pid, 'SIGCONT');
      } else if (pid === node.process?.child.pid) {
        await cluster.end(node, 'SIGKILL');
        await cluster.start(node);
      }
    };
    return { met: () => met, mend };
  },
});

/** @param {'SIGKILL' | 'SIGSTOP'} signal @returns {Fault} */
const backendSignal = (signal) => ({
  group: 'database',
  strike: async (cluster, random) => {
    const pid = await anyBackend(cluster, random).catch(() => undefined);
    const met = pid !== undefined && signalTo(pid, signal);
    const mend = async () => {
      if (pid !== undefined && signal === 'SIGSTOP') signalTo(pid, 'SIGCONT');
    };
    return { met: () => met, mend };
  },
});

/** Counts when a request was refused for it. @param {'database' | 'files'} what @param {'database' | 'storage'} reason @returns {Fault} */
const fullDisk = (what, reason) => ({
  group: 'disks',
  impossible: ({ disks }) => (disks[what] === undefined ? 'no file system of bounded size can be mounted' : undefined),
  applies: ({ nodes }) => what === 'database' || nodes.every(({ settings }) => settings.storage === 'disk'),
  strike: async (cluster, _random, { reasons }) => {
    const before = reasons.get(reason) ?? 0;
    cluster.disks[what]?.fill();
    const mend = async () => {
      cluster.disks[what]?.free();
      // PostgreSQL ends when it cannot even recover.
      if (what === 'database') await cluster.postgres.start();
    };
    return { met: () => (reasons.get(reason) ?? 0) > before, mend };
  },
});

const STEPS_MS = [-3_600_000, -5_000, 5_000, 3_600_000];

/** @type {Readonly<Record<string, Fault>>} */
export const FAULTS = {
  'kill a node': nodeSignal('SIGKILL'),
  'stop a node': nodeSignal('SIGSTOP'),
  'kill the database': {
    group: 'database',
    strike: async ({ postgres }) => {
      await postgres.end('SIGKILL');
      return { met: () => true, mend: () => postgres.start() };
    },
  },
  'stop the database': {
    group: 'database',
    strike: async ({ postgres }) => {
      const stopped = [postgres.pids()?.postmaster ?? [], postgres.pids()?.others ?? []].flat();
      const met = stopped.map((pid) => signalTo(pid, 'SIGSTOP')).includes(true);
      const mend = async () => {
        for (const pid of stopped) signalTo(pid, 'SIGCONT');
      };
      return { met: () => met, mend };
    },
  },
  'kill a backend': backendSignal('SIGKILL'),
  'stop a backend': backendSignal('SIGSTOP'),
  'cut clients': wireFault('front', 'cut'),
  'mute requests': wireFault('front', 'mute-up'),
  'mute replies': wireFault('front', 'mute-down'),
  'black hole of clients': wireFault('front', 'hole'),
  'slow clients': wireFault('front', 'slow'),
  'cut the database': wireFault('back', 'cut'),
  'mute statements': wireFault('back', 'mute-up'),
  'mute results': wireFault('back', 'mute-down'),
  'black hole of the database': wireFault('back', 'hole'),
  'slow database': wireFault('back', 'slow'),
  'full disk of files': fullDisk('files', 'storage'),
  'full disk of the database': fullDisk('database', 'database'),
  'failing fsync of files': {
    group: 'disks',
    applies: ({ nodes }) => nodes.every(({ settings }) => settings.storage === 'disk'),
    strike: async ({ nodes }, random) => {
      const node = random.pick(nodes);
      control(node, FSYNC, '');
      control(node, FAILED, undefined);
      const met = () => readdirSync(node.control).includes(FAILED);
      return { met, mend: async () => control(node, FSYNC, undefined) };
    },
  },
  'failing fsync of the database': {
    group: 'disks',
    impossible: () => 'PostgreSQL has no switch for it, and a failing block device needs a device mapper',
    strike: async () => ({ met: () => false, mend: async () => {} }),
  },
  'clock step of a node': {
    group: 'clocks',
    strike: async ({ nodes }, random) => {
      const node = random.pick(nodes);
      control(node, CLOCK, String(random.pick(STEPS_MS)));
      // Some clocks stay wrong until the end of the round.
      const isStepBack = random.chance(0.5);
      const mend = async () => {
        if (isStepBack) control(node, CLOCK, undefined);
      };
      return { met: () => node.process !== undefined, mend };
    },
  },
  'clock step of the database': {
    group: 'clocks',
    alone: true,
    strike: async (cluster, random) => {
      const step = random.pick(STEPS_MS);
      await cluster.sql("update torture.clock set step = $1 * interval '1 millisecond'", [step]);
      // Of a new connection, as those of the node will be.
      const [[ahead] = []] = await cluster.postgres.sql(
        'select round(extract(epoch from clock_timestamp() - pg_catalog.clock_timestamp()) * 1000)::int',
      );
      // A node measures the clock at its start, and every half minute.
      const node = random.pick(cluster.nodes);
      await cluster.end(node, 'SIGTERM');
      await cluster.start(node);
      const mend = async () => {
        await cluster.sql("update torture.clock set step = interval '0'");
      };
      return { met: () => ahead === step, mend };
    },
  },
  'object store away': storeFault('hole'),
  'object store cut': storeFault('cut'),
  'object store slow': storeFault('slow'),
};

/** Lets the database's clock be stepped, for connections that are opened from now on. @param {Cluster} cluster */
export async function prepareClock({ sql }) {
  await sql('create schema torture');
  await sql("create table torture.clock as select interval '0' as step");
  await sql(`create function torture.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + step from torture.clock'`);
  // Before the catalog, where the function of the same name is.
  await sql('alter role cartulary set search_path = torture, pg_catalog, public');
}
