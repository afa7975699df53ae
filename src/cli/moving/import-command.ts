// `cartulary import`: the records of a file, into a collection that exists or one made for it.

import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { rawOperations } from '../../../client/src/raw.ts';
import { Transport } from '../../../client/src/transport.ts';
import { listed, shown } from '../../domain/definition/problems.ts';
import type { Survey } from '../../moving/import/survey.ts';
import type { Application, Collection } from '../../wire/applications.ts';
import type { Definition } from '../../wire/publish-document.ts';
import { findCollection } from '../commands/names.ts';
import { type CommandRow, JSON_OPTION, localCommand, type OptionRow } from '../commands/row.ts';
import { usageFailure } from '../failure.ts';
import type { UserOptions } from '../logins.ts';
import { connectOperator } from '../operator-client.ts';
import { programName, quoted } from '../program-name.ts';
import { connectUser, userFailure } from '../user-session.ts';
import { formatOf } from './formats/choose.ts';
import { hasUnfinishedImport } from './import/journal.ts';
import { surveyFile } from './import/survey.ts';
import { importFrom, PRODUCTS } from './import-from.ts';
import { checkFile, type ImportOptions, importInto, journalPath } from './import-into.ts';
import {
  definitionPath,
  type GuessOptions,
  guessCollection,
  keepLogin,
  printLogin,
  publishCollection,
  unpublished,
} from './new-collection.ts';
import { READING_OPTIONS, readingOf, readOptionsOf } from './reading-options.ts';

interface CommandOptions extends UserOptions, ImportOptions, Omit<GuessOptions, 'ignore' | 'folder'> {
  readonly new?: string;
  readonly from?: string;
  readonly email: string;
}

const OPTIONS: readonly OptionRow[] = [
  { flags: '--map <pair>', text: '"File column=Column", for names that differ', repeated: true },
  { flags: '--ignore <column>', text: 'a column of the file to leave out', repeated: true },
  {
    flags: '--upsert <column>',
    text: 'update the record that has the same value in this unique column, or create one',
  },
  { flags: '--clear-empty', text: 'with --upsert: an empty cell removes the value; otherwise it leaves it' },
  { flags: '--reference <pair>', text: '"Column=Referred column", to find referred records by it', repeated: true },
  { flags: '--attachments <folder>', text: 'where the files of attachment columns are; by default beside the file' },
  { flags: '--dry-run', text: 'check every row and store nothing' },
  { flags: '--restart', text: 'begin anew, whatever an earlier run has stored' },
  { flags: '--max-rejected <rows>', text: 'stop when more rows are rejected', default: '1000' },
  { flags: '--parallel <batches>', text: 'batches on their way at once; 1 keeps the order of the file', default: '4' },
  { flags: '--wait <seconds>', text: 'how long the server may be away', default: '120' },
  ...READING_OPTIONS,
  {
    flags: '--new <collection>',
    text: 'make the collection, with types guessed from the file (needs the operator key)',
  },
  { flags: '--from <product>', text: `files that ${PRODUCTS.join(', ')} has exported: its schema, and then its data` },
  { flags: '--type <pair>', text: 'with --new: "Column=Type", for a type other than the guess', repeated: true },
  { flags: '--email <address>', text: 'with --new: of the admin that is made', default: 'admin@example.com' },
  {
    flags: '--application <application>',
    text: 'the application, if not that of the current profile; with --new, where the collection is added',
  },
  { flags: '--profile <name>', text: 'login profile; by default from CARTULARY_PROFILE, or the current one' },
  { flags: '--url <address>', text: 'address of the server, with CARTULARY_TOKEN or the operator key' },
  { flags: '--insecure', text: 'send the token or key over plain HTTP to other machines' },
  JSON_OPTION,
];

/** Waits are the importer's own (import/patience). */
const NO_RETRIES = { retries: 0 };

async function importFile(
  file: string,
  given: string | undefined,
  options: CommandOptions,
  environment: NodeJS.ProcessEnv,
) {
  const format = formatOf(file, options.format);
  const survey = await surveyFile(file, format, readOptionsOf(options));
  if (options.new === undefined) {
    const session = await connectUser(environment, options);
    const { address, applicationId: application, token } = session.login;
    try {
      const definition = (await session.definition()) as Application;
      const raw = rawOperations(new Transport({ url: address, application, token, ...NO_RETRIES }));
      const collection = collectionOf(definition, given, file);
      await importInto({ application: definition, collection, raw, address, file, survey }, options);
    } catch (error) {
      throw userFailure(error, session.login);
    }
    return;
  }
  await importNew(options.new, file, survey, options, environment);
}

/** The ID of the application, if an earlier run has published it and was interrupted while it imported. */
async function begunBefore(name: string, file: string, options: CommandOptions): Promise<string | undefined> {
  const text = await readFile(definitionPath(file), 'utf8').catch(() => undefined);
  if (text === undefined || options.restart) return undefined;
  const { id, collections } = JSON.parse(text) as Definition;
  const collection = collections.find((each) => each.name === name);
  if (collection === undefined) return undefined;
  return (await hasUnfinishedImport(journalPath(file, collection.id))) ? id : undefined;
}

function withoutNew({ new: _, ...options }: CommandOptions): CommandOptions {
  return options;
}

function importGiven(args: readonly string[], options: CommandOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  if (options.from !== undefined) return importFrom(options.from, args, options, environment);
  const [file = '', collection, ...more] = args;
  if (more.length > 0) throw usageFailure('One file is imported into one collection; several files go with --from.');
  return importFile(file, collection, options, environment);
}

function collectionOf(application: Application, given: string | undefined, file: string): Collection {
  if (given !== undefined) return findCollection(application, given);
  const [only, ...others] = application.collections;
  if (only !== undefined && others.length === 0) return only;
  const names = application.collections.map(({ name }) => shown(name));
  throw usageFailure(
    `Into which collection? ${application.name} has ${listed(names) || 'none'}: ${programName()} import ${quoted(file)} ${names[0] ?? 'COLLECTION'}`,
  );
}

async function importNew(
  name: string,
  file: string,
  survey: Survey,
  options: CommandOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { collection: input, left } = guessCollection(name, survey, readingOf(options, survey), {
    ...options,
    folder: resolve(options.attachments ?? dirname(file)),
  });
  if (left.length > 0)
    console.error(`Left out, because no type of column holds their values: ${listed(left.map(shown))}.`);
  if (options.dryRun) {
    await checkFile({ collection: unpublished(input), file, survey }, options);
    if (!options.json) console.log(`The definition would be written to ${definitionPath(file)} and published.`);
    return;
  }
  const begun = await begunBefore(name, file, options);
  if (begun !== undefined) {
    console.error(`${name} is published already; going on with its import.`);
    await importFile(file, name, { ...withoutNew(options), application: begun }, environment);
    return;
  }
  const client = await connectOperator(environment, options);
  const published = await publishCollection(client, input, { into: options.application, file });
  const { application, collection, definitionFile } = published;
  const login = await keepLogin(client, environment, { application, profile: options.profile, email: options.email });
  if (!options.json) {
    console.log(`Published ${application.name} (${application.id}); its definition is in ${definitionFile}.`);
    printLogin(login);
  }
  const raw = rawOperations(
    new Transport({ url: client.root, application: application.id, token: login.token, ...NO_RETRIES }),
  );
  await importInto({ application, collection, raw, address: client.root, file, survey }, options);
  if (options.json) return;
  const command = (words: string) => `  ${programName()} ${words}`;
  console.log(
    [
      '',
      'Next:',
      command(`records list ${quoted(collection.name)}`),
      command(`export ${quoted(collection.name)} ${quoted(`${basename(file)}.export.csv`)}`),
      `  ${client.root}/console/${application.id}`,
    ].join('\n'),
  );
}

export const IMPORT_COMMANDS: readonly CommandRow[] = [
  localCommand<CommandOptions>({
    usage: 'import <file> [collection...]',
    summary: 'import a CSV, JSON Lines or Excel file into a collection, or make a collection from it',
    options: OPTIONS,
    details: `Columns are matched by name; case, blanks, _ and - do not matter. Rows that cannot be stored are written to a
file beside the first one, with the line and the reason. After an interruption the same command goes on where it was:
nothing is lost and nothing is stored twice. docs/import-export.md has more.`,
    examples: [
      'import bikes.csv --new Bikes',
      'import bikes.csv Bikes --dry-run',
      "import bikes.xlsx Bikes --upsert Code --map 'Frame no.=Frame'",
    ],
    run: ({ args, options, environment }) => importGiven(args, options, environment),
  }),
];
