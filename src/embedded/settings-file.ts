// The settings of the embedded PostgreSQL, as they are written at every start: its memory and its log follow the machine.
import { statfs } from 'node:fs/promises';
import os from 'node:os';

const MB = 2 ** 20;

/**
 * An eighth of the memory, within bounds that suit a small container and do not take more than is used: PostgreSQL keeps some
 * 24 MB for each GB of them, even empty. A create to one of 10,000 applications changes 15 pages that no other create needs; all
 * of those pages are 2 GB.
 */
const BUFFERS_MB = { min: 32, max: 2_048 };
/**
 * A sixteenth of the free room. After each checkpoint the first change of a page logs the whole page. With 1 GB and thousands of
 * applications, logging pages alone brought the next checkpoint within a minute. More would make a start after a crash longer.
 */
const LOG_MB = { min: 1_024, max: 4_096 };

const within = ({ min, max }: { readonly min: number; readonly max: number }, bytes: number): number =>
  Math.max(min, Math.min(max, Math.floor(bytes / MB)));

function memoryBytes(): number {
  // Without a limit this is 0, or a number larger than the memory.
  return Math.min(process.constrainedMemory() || os.totalmem(), os.totalmem());
}

/**
 * After a crash PostgreSQL syncs all files before it begins: with 10,000 applications those are 900,000, which took more than
 * five minutes one by one. Before Linux 5.8, syncing the file system at once does not report errors.
 */
function syncsAtOnce(): boolean {
  const [major = 0, minor = 0] = os.release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

/** Only tuning: settings that safety depends on are on the command line, where no file can override them. */
export async function settingsOf(cluster: {
  /** The folder that holds the cluster. */
  readonly home: string;
  readonly name: string;
  readonly connectionsMax: number;
}): Promise<string> {
  const room = await statfs(cluster.home);
  return `# Written by Cartulary at every start. Use ALTER SYSTEM for settings of your own.
cluster_name = '${cluster.name}'
max_connections = ${cluster.connectionsMax}
shared_buffers = ${within(BUFFERS_MB, memoryBytes() / 8)}MB
maintenance_work_mem = 64MB
# Up to three times the default, so that pages that change now and then are logged whole less often. What a start after a crash
# has to repeat is bounded by the size.
checkpoint_timeout = 15min
max_wal_size = ${within(LOG_MB, (room.bavail * room.bsize) / 16)}MB
# Compressing a logged page took a fifth of a millisecond, and a create logs up to fifteen.
wal_compression = off
# Each application has its own files; a process that closes one has to open it again for the next request.
max_files_per_process = 10000
recovery_init_sync_method = ${syncsAtOnce() ? 'syncfs' : 'fsync'}
# An application is a schema with a table per collection; publishing locks them with their indexes in one transaction.
max_locks_per_transaction = 256
random_page_cost = 1.1
# Many short statements gain nothing from compilation.
jit = off
# What is frequent in a collection is found out when it has doubled (store/records/search-indexes), and small tables need no
# statistics. With 50 changes, and a look at all tables every 15 seconds, creates to 10,000 applications were followed by so
# many analyzes that they were a third slower.
autovacuum_analyze_threshold = 500
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] '
log_checkpoints = off
# A refused duplicate is everyday business, and neither its statement nor its key may reach the log: both hold user data.
log_min_error_statement = panic
log_error_verbosity = terse
`;
}
