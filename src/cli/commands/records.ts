// `cartulary records`: the records of a collection, as the user of a login.

import { CommandFailure, usageFailure } from '../failure.ts';
import { findRecordId } from '../records/lookups.ts';
import { LIMIT_DEFAULT, type RecordListOptions, recordPages } from '../records/pages.ts';
import { printPages, printRecord } from '../records/print.ts';
import { createRecords, deleteMatching, updateRecord, withColumnNames } from '../records/write.ts';
import type { UserSession } from '../user-session.ts';
import { countOf } from './columns.ts';
import {
  type Call,
  type CommandRow,
  JSON_OPTION,
  type OptionRow,
  type Printing,
  printJson,
  userCommand,
} from './row.ts';

const TIMEZONE_OPTION: OptionRow = {
  flags: '--timezone <zone>',
  text: "time zone of dates in the search, such as Asia/Tokyo; by default the application's",
};

const LIST_OPTIONS: readonly OptionRow[] = [
  { flags: '--columns <names>', text: 'columns to show, separated by commas; also createdAt, createdBy, updatedAt, …' },
  {
    flags: '--order <column>',
    text: 'order by a sortable column, createdAt or updatedAt; with - before it, descending',
  },
  { flags: '--limit <number>', text: `how many to list, by default ${LIMIT_DEFAULT}; "all" for all of them` },
  TIMEZONE_OPTION,
  JSON_OPTION,
];

const FILE_OPTION: OptionRow = {
  flags: '--file <file>',
  text: 'read the values from a JSON file instead; - reads standard input',
};

const VALUES_DETAILS = `Values are given as Column=text, by the names or IDs of columns. Text in quotes may have spaces: Title="New roof".

  DateTime      Started=2026-11-16T10:00Z, or with an offset such as +09:00
  Boolean       Passed=true
  Location      Place=35.6812,139.7671
  User          Worker='Naomi Sato', or an ID or e-mail address
  Attachment    Photo=@roof.jpg uploads the file; or the ID of an attachment
  reference     Site='Harbour depot', which a record has in the referred column; or the ID of the record
  Object        Address.City=Osaka
  Array         Tags=roof Tags=stairs, or Tags='["roof","stairs"]'

Column= leaves the column without a value. A JSON file holds {"Title": "New roof", …}, or a record as the interface has
it.`;

const SEARCH_DETAILS = `Queries are those of the search language: roof, Title:roof, Started>today-7d, "Not before"<09:00.`;

interface ShowOptions extends RecordListOptions, Printing {
  readonly columns?: string;
}

async function list(session: UserSession, given: string, options: ShowOptions): Promise<void> {
  const collection = await session.collection(given);
  const pages = recordPages(session.raw, collection, options);
  await withColumnNames(collection, printPages(pages, collection, options));
}

async function create(session: UserSession, { args, options }: Call<Printing & { file?: string }>): Promise<void> {
  const [given = '', ...words] = args;
  const collection = await session.collection(given);
  const records = await createRecords(session, collection, words, options);
  if (options.json) printJson(records.length === 1 ? records[0] : records);
  else for (const { id } of records) console.log(id);
  console.error(`Created ${countOf(records.length, 'record')} in ${collection.name}.`);
}

type UpdateOptions = Printing & { readonly file?: string; readonly replace: boolean };

async function update(session: UserSession, { args, options }: Call<UpdateOptions>): Promise<void> {
  const [given = '', record = '', ...words] = args;
  const collection = await session.collection(given);
  const recordId = await findRecordId(session, collection, record);
  const updated = await updateRecord(session, collection, { recordId, words, ...options });
  if (options.json) printJson(updated);
  else console.log(`Updated ${updated.id}.`);
}

interface DeleteOptions {
  readonly search?: string;
  readonly timezone?: string;
  readonly all?: true;
  readonly yes?: true;
}

async function remove(session: UserSession, { args, options }: Call<DeleteOptions>): Promise<void> {
  const [given = '', ...records] = args;
  const { search, all } = options;
  const ways = [records.length > 0, search !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1) throw usageFailure('Give the records to delete, or --search, or --all.');
  if (search?.trim() === '') throw usageFailure('The search is empty; --all deletes all records.');
  const collection = await session.collection(given);
  if (records.length === 0) {
    const count = await withColumnNames(collection, deleteMatching(session, collection, options));
    console.log(`Deleted ${countOf(count, 'record')} of ${collection.name}.`);
    return;
  }
  let missing = 0;
  for (const record of records) {
    const recordId = await findRecordId(session, collection, record);
    try {
      await session.raw.deleteRecord({ collectionId: collection.id, recordId });
      console.log(`Deleted ${recordId}.`);
    } catch (error) {
      if ((error as { code?: string }).code !== 'RECORD_NOT_FOUND' || records.length === 1) throw error;
      console.error(`There is no record ${recordId}.`);
      missing++;
    }
  }
  if (missing > 0)
    throw new CommandFailure(`${countOf(missing, 'record was', 'records were')} not there.`, { exit: 'notFound' });
}

export const RECORD_COMMANDS: readonly CommandRow[] = [
  userCommand<ShowOptions>({
    usage: 'records list <collection>',
    summary: 'list the records of a collection, those that changed last first',
    options: [{ flags: '--search <query>', text: 'only those that a query finds' }, ...LIST_OPTIONS],
    details: SEARCH_DETAILS,
    examples: [
      'records list Visits',
      "records list Visits --search 'Passed:false' --order -Started --columns Title,Started",
    ],
    run: (session, { args: [collection = ''], options }) => list(session, collection, options),
  }),
  userCommand<ShowOptions>({
    usage: 'records search <collection> <query>',
    summary: 'search the records of a collection',
    options: LIST_OPTIONS,
    details: SEARCH_DETAILS,
    examples: ["records search Visits 'Passed:false Started>today-7d'"],
    run: (session, { args: [collection = '', search = ''], options }) =>
      list(session, collection, { ...options, search }),
  }),
  userCommand<Printing>({
    usage: 'records get <collection> <record>',
    summary: 'show a record, by its ID or by Column=text',
    options: [JSON_OPTION],
    examples: ['records get Sites r068t1q8s5nvdrb4v1m3g7k9e50', 'records get Sites Code=HD-1 --json'],
    run: async (session, { args: [given = '', record = ''], options }) => {
      const collection = await session.collection(given);
      const recordId = await findRecordId(session, collection, record);
      const { body } = await session.raw.getRecord({ collectionId: collection.id, recordId });
      if (options.json) printJson(body);
      else printRecord(body, collection);
    },
  }),
  userCommand<Printing & { file?: string }>({
    usage: 'records create <collection> [values...]',
    summary: 'create a record, or those of a JSON file, and print the IDs',
    options: [FILE_OPTION, JSON_OPTION],
    details: VALUES_DETAILS,
    examples: [
      "records create Visits Title='Roof' Started=2026-11-16T10:00Z",
      'records create Visits --file visits.json',
    ],
    run: create,
  }),
  userCommand<UpdateOptions>({
    usage: 'records update <collection> <record> [values...]',
    summary: 'change values of a record; what you do not name stays',
    options: [
      FILE_OPTION,
      { flags: '--replace', text: 'remove the values that are not given', default: false },
      JSON_OPTION,
    ],
    details: VALUES_DETAILS,
    examples: ['records update Sites Code=HD-1 Floors=4 Note='],
    run: update,
  }),
  userCommand<DeleteOptions>({
    usage: 'records delete <collection> [records...]',
    summary: 'delete records, by their IDs or Column=text, or those that a query finds',
    options: [
      { flags: '--search <query>', text: 'delete what the query finds' },
      { flags: '--all', text: 'delete all records of the collection' },
      { flags: '--yes', text: 'do not ask before deleting what a query finds' },
      TIMEZONE_OPTION,
    ],
    examples: [
      'records delete Sites r068t1q8s5nvdrb4v1m3g7k9e50',
      "records delete Visits --search 'Started<2020' --yes",
    ],
    run: remove,
  }),
];
