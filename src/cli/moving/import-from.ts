// `import --from`: the exported files of another product, as an application with its collections and records.

import { basename, parse } from 'node:path';
import { rawOperations } from '../../../client/src/raw.ts';
import { Transport } from '../../../client/src/transport.ts';
import { listed, shown } from '../../domain/definition/problems.ts';
import { foldName } from '../../moving/import/mapping.ts';
import type { Survey } from '../../moving/import/survey.ts';
import type { Application, Collection } from '../../wire/applications.ts';
import { countOf } from '../commands/columns.ts';
import { readJsonFile } from '../commands/json-file.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import type { UserOptions } from '../logins.ts';
import { connectOperator } from '../operator-client.ts';
import { userFailure } from '../user-session.ts';
import { formatOf } from './formats/choose.ts';
import { readAirtable } from './from/airtable.ts';
import { readDirectus } from './from/directus.ts';
import {
  collectionInput,
  type Foreign,
  type ForeignCollection,
  ForeignProblem,
  type ForeignReader,
  referredFirst,
} from './from/foreign.ts';
import { readKintone } from './from/kintone.ts';
import { readPocketBase } from './from/pocketbase.ts';
import { surveyFile } from './import/survey.ts';
import { checkFile, type ImportOptions, importInto } from './import-into.ts';
import { keepLogin, printLogin, publishCollections, unpublished } from './new-collection.ts';
import { readOptionsOf } from './reading-options.ts';

const READERS: Readonly<Record<string, ForeignReader>> = {
  airtable: readAirtable,
  directus: readDirectus,
  kintone: readKintone,
  pocketbase: readPocketBase,
};
export const PRODUCTS = Object.keys(READERS);

export interface FromOptions extends UserOptions, ImportOptions {
  readonly new?: string;
  readonly email: string;
}

/** The first file is the schema, the others are data. */
export async function importFrom(
  product: string,
  [schemaFile = '', ...dataFiles]: readonly string[],
  options: FromOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const name = options.new ?? parse(schemaFile).name;
  const foreign = readForeign(product, schemaFile, await readJsonFile(schemaFile), name);
  const files = filesOf(foreign, dataFiles);
  if (!options.json) printNotes(product, foreign);
  if (options.dryRun) {
    for (const { collection, file } of files)
      await withFile(collection, file, options, (source, own) =>
        checkFile({ ...source, collection: unpublished(collectionInput(collection)) }, own),
      );
    return;
  }
  const client = await connectOperator(environment, options);
  const inputs = foreign.collections.map(collectionInput);
  const { application, definitionFile } = await publishCollections(client, inputs, {
    into: options.application,
    file: schemaFile,
    name,
  });
  const login = await keepLogin(client, environment, { application, profile: options.profile, email: options.email });
  if (!options.json) {
    console.log(`Published ${application.name} (${application.id}); its definition is in ${definitionFile}.`);
    printLogin(login);
  }
  const raw = rawOperations(
    new Transport({ url: client.root, application: application.id, token: login.token, retries: 0 }),
  );
  let failure: unknown;
  for (const { collection, file } of files) {
    const target = { application, collection: published(application, collection), raw, address: client.root };
    await withFile(collection, file, options, (source, own) => importInto({ ...target, ...source }, own)).catch(
      (error: unknown) => {
        // Rejected rows of one file do not keep the others out.
        if (!(error instanceof CommandFailure)) throw userFailure(error, { address: client.root });
        console.error(error.message);
        failure = error;
      },
    );
  }
  if (failure !== undefined) throw new CommandFailure('Not everything was imported; see above.');
}

function readForeign(product: string, file: string, schema: unknown, name: string): Foreign {
  const read = READERS[product];
  if (read === undefined) throw usageFailure(`--from ${product} is not known: use ${listed(PRODUCTS)}.`);
  try {
    return read(schema, name);
  } catch (error) {
    if (!(error instanceof ForeignProblem)) throw error;
    throw new CommandFailure(
      `${file} is not a schema of ${product}: ${error.message}. It comes first, and the data after it.`,
    );
  }
}

interface DataFile {
  readonly collection: ForeignCollection;
  readonly file: string;
}

/** A file is called like its collection, whatever follows. Referred collections come first. */
function filesOf({ collections }: Foreign, files: readonly string[]): DataFile[] {
  const found = files.map((file): DataFile => {
    const name = foldName(parse(file).name);
    const fitting = collections.filter((collection) => name.startsWith(foldName(collection.name)));
    const [longest] = fitting.sort((one, other) => other.name.length - one.name.length);
    const collection = longest ?? (collections.length === 1 ? collections[0] : undefined);
    if (collection !== undefined) return { collection, file };
    const names = collections.map((each) => shown(each.name));
    throw usageFailure(
      `Which collection is ${basename(file)} for? Its name should begin with one of ${listed(names)}.`,
    );
  });
  const order = referredFirst(collections);
  return found.sort((one, other) => order.indexOf(one.collection) - order.indexOf(other.collection));
}

function published({ collections }: Application, { name }: ForeignCollection): Collection {
  const found = collections.find((collection) => collection.name === name);
  if (found === undefined) throw new Error(`The published application lacks ${name}`);
  return found;
}

interface FileSource {
  readonly file: string;
  readonly survey: Survey;
  readonly rewrites: ReadonlyMap<string, (cell: unknown) => unknown>;
}

async function withFile(
  collection: ForeignCollection,
  file: string,
  options: FromOptions,
  work: (source: FileSource, options: ImportOptions) => Promise<void>,
): Promise<void> {
  if (!options.json) console.log(`\n${basename(file)} → ${collection.name}`);
  const survey = await surveyFile(file, formatOf(file, options.format), readOptionsOf(options));
  const rewrites = new Map(
    collection.columns.flatMap(({ column, rewrite }) =>
      rewrite === undefined ? [] : [[column.name, rewrite] as const],
    ),
  );
  const codes = collection.columns.flatMap(({ source, otherNames = [] }) =>
    survey.header.includes(source)
      ? []
      : otherNames.filter((name) => survey.header.includes(name)).map((name) => `${name}=${source}`),
  );
  await work({ file, survey, rewrites }, { ...options, map: [...(options.map ?? []), ...codes] });
}

function printNotes(product: string, { collections, notes }: Foreign): void {
  console.log(
    `${countOf(collections.length, 'collection')} of ${product}: ${listed(collections.map(({ name }) => shown(name)))}.`,
  );
  if (notes.length === 0) return;
  console.log('What does not come over as it is:');
  for (const note of notes) console.log(`  ${note}`);
}
