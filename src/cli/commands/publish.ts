// `cartulary publish`: sends a publish document, and prints the changes, the identifiers and a first request.

import { listed, shown } from '../../domain/definition/problems.ts';
import type { ApplicationSummary, DefinitionChange, PublishReply } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ManagementUser } from '../../wire/users.ts';
import { CommandFailure } from '../failure.ts';
import type { OperatorClient } from '../operator-client.ts';
import { Refusal } from '../refusals.ts';
import { collectionTable } from './collection-table.ts';
import { printTable } from './columns.ts';
import { firstRecord } from './first-record.ts';
import { readJsonFile } from './json-file.ts';
import { readPages, usersPath } from './names.ts';
import { changeLine, collisionText, dataLossText, renameHints } from './publish-report.ts';
import { watchPublishing } from './publishing-watch.ts';
import { type CommandRow, JSON_OPTION, operatorCommand, type Printing, printJson } from './row.ts';

/** Among these a user is looked for who can create a record. */
const USERS_READ = 100;

interface PublishOptions {
  readonly dryRun: boolean;
  readonly allowDataLoss: boolean;
  readonly new: boolean;
  readonly url?: string;
}

async function publish(client: OperatorClient, file: string, options: PublishOptions): Promise<void> {
  const document = await readJsonFile(file);
  const id = applicationIn(document);
  if (id === undefined && !options.new) await refuseSameName(client, document);
  const before = options.dryRun && id !== undefined ? await published(client, id) : undefined;
  const reply = await send(client, document, options).catch((error: unknown) => explain(client, document, error));
  const { application, changes } = reply;
  for (const change of changes) console.log(`- ${changeLine(change)}`);
  if (changes.length === 0) console.log('Nothing has changed.');
  if (before !== undefined) for (const line of renameHints(before, reply)) console.log(line);
  const { name, version } = application;
  if (options.dryRun) {
    const title = id === undefined ? `A new application ${name}` : `${name} (${application.id})`;
    console.log(`${title} would be at version ${version}.`);
    return;
  }
  console.log(`${name} (${application.id}) is at version ${version}.`);
  if (id === undefined) console.log(`To publish changes to it, put "id": "${application.id}" into the document.`);
  await printNextSteps(client, reply, options);
}

async function printNextSteps(
  client: OperatorClient,
  { application }: PublishReply,
  { url }: PublishOptions,
): Promise<void> {
  if (application.collections.length === 0) return;
  console.log('');
  printTable(collectionTable(application.collections));
  const users = await readPages<ManagementUser>(client, usersPath(application.id), { atMost: USERS_READ });
  const user = users.find(({ apiAccess, disabled }) => apiAccess && !disabled);
  console.log(`\n${firstRecord(application, { root: client.root, url, user })}`);
}

function applicationIn(document: unknown): string | undefined {
  const { id } = Object(document) as { id?: unknown };
  return id === undefined ? undefined : String(id);
}

async function sameNamed(client: OperatorClient, document: unknown): Promise<ApplicationSummary[]> {
  const { name } = Object(document) as { name?: unknown };
  const all = (await client.send('GET', '/applications')) as ApplicationSummary[];
  return all.filter((application) => application.name === name);
}

/** A second application of the same name is rarely meant, and commands could no longer name either of them. */
async function refuseSameName(client: OperatorClient, document: unknown): Promise<void> {
  const { name } = Object(document) as { name?: unknown };
  const same = await sameNamed(client, document);
  if (same.length === 0) return;
  const ids = same.map(({ id }) => id);
  const existing =
    ids.length === 1
      ? `The application ${shown(name)} exists already: ${ids[0]}.`
      : `${ids.length} applications are called ${shown(name)} already: ${listed(ids)}.`;
  throw new CommandFailure(
    `${existing} To publish changes to it, add "id": "${ids[0]}" to the document. To create another one of the same name, use --new.`,
    { exit: 'refused' },
  );
}

async function diff(client: OperatorClient, file: string, { json }: Printing): Promise<void> {
  const document = await readJsonFile(file);
  const same = await sameNamed(client, document);
  const isNamed = applicationIn(document) === undefined && same.length === 1;
  const compared = isNamed ? { ...(document as object), id: same[0]?.id } : document;
  const reply = await send(client, compared, { dryRun: true, allowDataLoss: true });
  if (json) {
    printJson(reply.changes);
    return;
  }
  const before = await published(client, applicationIn(compared) ?? '-');
  for (const change of reply.changes) console.log(`${signOf(change)} ${changeLine(change)}`);
  if (before !== undefined) for (const line of renameHints(before, reply)) console.log(line);
  if (reply.changes.length === 0) console.log('Nothing would change.');
}

function signOf({ kind, losesData }: DefinitionChange): string {
  if (losesData) return '!';
  return kind.endsWith('.add') || kind.endsWith('.create') ? '+' : kind.endsWith('.remove') ? '-' : '~';
}

/** Undefined if the identifier is that of a new application. */
const published = async (client: OperatorClient, id: string): Promise<Definition | undefined> =>
  client.send('GET', `/applications/${encodeURIComponent(id)}`).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  }) as Promise<Definition | undefined>;

/** Shows the progress. A document without an identifier creates an application, which takes no time. */
async function send(
  client: OperatorClient,
  document: unknown,
  { dryRun, allowDataLoss }: Pick<PublishOptions, 'dryRun' | 'allowDataLoss'>,
): Promise<PublishReply> {
  const path = `/applications?dryRun=${dryRun}&allowDataLoss=${allowDataLoss}`;
  const publishing = client.send('POST', path, document) as Promise<PublishReply>;
  const id = applicationIn(document);
  if (id === undefined) return publishing;
  const watch = watchPublishing(client, id);
  try {
    return await publishing;
  } finally {
    watch.stop();
  }
}

/** Names what the server names by identifiers, and recognises what was meant as a change of name. */
async function explain(client: OperatorClient, document: unknown, error: unknown): Promise<never> {
  if (!(error instanceof Refusal)) throw error;
  const { code, params } = error;
  if (code !== 'WOULD_LOSE_DATA' && code !== 'UNIQUE_COLLISION') throw error;
  const current = await published(client, applicationIn(document) ?? '');
  if (current === undefined) throw error;
  if (code === 'UNIQUE_COLLISION') {
    throw new CommandFailure(collisionText(params, current.collections), { exit: 'refused' });
  }
  const next = await send(client, document, { dryRun: true, allowDataLoss: false });
  throw new CommandFailure(dataLossText((params.changes ?? []) as DefinitionChange[], current, next), {
    exit: 'refused',
  });
}

const publishCommand = (usage: string, summary: string): CommandRow =>
  operatorCommand<PublishOptions>({
    usage,
    summary,
    options: [
      { flags: '--dry-run', text: 'show what would change, and change nothing', default: false },
      {
        flags: '--new',
        text: 'create another application, though there is one of the same name',
        default: false,
      },
      {
        flags: '--allow-data-loss',
        text: 'publish even if collections or columns are removed or change their type',
        default: false,
      },
    ],
    details: `The smallest document is {"name": "Notes", "collections": [{"name": "Notes", "columns": [{"name": "Text", "type":
"String"}]}]}. A document without "id" makes a new application; it is refused if there is one of the same name, unless
you add --new. \`applications show\` prints the document of a published application with all identifiers. Collections
and columns without "id" are matched by name.`,
    examples: [usage.replace('<file>', 'inspections.json --dry-run'), usage.replace('<file>', 'inspections.json')],
    run: (client, { args: [file = ''], options }) => publish(client, file, options),
  });

export const PUBLISH_COMMANDS: readonly CommandRow[] = [
  publishCommand('publish <file>', 'publish an application from a publish document; - reads standard input'),
  publishCommand('applications publish <file>', 'the same as publish'),
  operatorCommand<Printing>({
    usage: 'applications diff <file>',
    summary: 'show what publishing a document would change, by a dry run; - reads standard input',
    options: [JSON_OPTION],
    details: `A document without "id" is compared with the application of the same name, if there is one. + is added, - is
removed, ~ is changed, ! loses data.`,
    examples: ['applications diff inspections.json'],
    run: (client, { args: [file = ''], options }) => diff(client, file, options),
  }),
];
