// @ts-check
// What `npm run test:citus` needs to know: whether a Citus cluster is at hand, and which tests cannot run on one.

import { Failure } from './processes.mjs';

/** Test files below test/, without their ending, and why a cluster cannot pass them. */
export const NOT_ON_CITUS = {
  'attachments/plans': 'it reads the plans of plain PostgreSQL, and those of a cluster are inside of another',
  'cluster/worker-errors': 'it raises the errors of a lost worker by triggers, which a cluster refuses',
  'lists/explain': 'it reads the plans of plain PostgreSQL, and those of a cluster are inside of another',
  'store/statements':
    'it compares the statements for plain PostgreSQL, and logged writes have another form on a cluster',
  'store/round-trips': 'it counts the round trips on plain PostgreSQL, and logged writes take more on a cluster',
};

const ADVICE =
  'Set CARTULARY_TEST_DATABASE_URL to a database of a coordinator, with the extension and its workers (docs/scaling.md).';

/** Ends the command with a sentence when there is none. */
export async function requireCitus() {
  const url = process.env.CARTULARY_TEST_DATABASE_URL;
  if (!url) throw new Failure(`No Citus is at hand: nothing was tested. ${ADVICE}`);
  // Imported here because it needs the packages.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
    if (rowCount === 0) throw new Failure(`The database is no Citus: nothing was tested. ${ADVICE}`);
    const { rows } = await client.query('select nodename from pg_dist_node where isactive and groupid <> 0');
    if (rows.length < 2) throw new Failure(`The cluster has fewer than two workers: nothing was tested. ${ADVICE}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The coordinator does not answer: ${/** @type {Error} */ (error).message}. Nothing was tested.`);
  } finally {
    await client.end().catch(() => undefined);
  }
}
