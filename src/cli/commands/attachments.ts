// `cartulary attachments`: files of a collection, up and down, as the user of a login.

import type { AttachmentMetadata, CollectionDefinition, RawRecord, RawValue } from '../../../client/src/shapes.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { usageFailure } from '../failure.ts';
import { sizeText } from '../files/progress.ts';
import { chunksOf, FORCE_OPTION, lengthOf, nameIn, save } from '../files/save.ts';
import { sendFile } from '../files/upload.ts';
import { findRecordId } from '../records/lookups.ts';
import { type RecordListOptions, recordPages } from '../records/pages.ts';
import type { UserSession } from '../user-session.ts';
import { printTable } from './columns.ts';
import {
  type Call,
  type CommandRow,
  JSON_OPTION,
  type OptionRow,
  type Printing,
  printJson,
  userCommand,
} from './row.ts';

const SIZES = [64, 128, 256, 512, 1024] as const;
type ThumbnailSize = (typeof SIZES)[number];

const OUTPUT_OPTIONS: readonly OptionRow[] = [
  { flags: '--output <file>', text: "where to write it; - for standard output; by default the attachment's own name" },
  FORCE_OPTION,
];

interface OutputOptions {
  readonly output?: string;
  readonly force?: true;
}

async function upload(session: UserSession, { args, options }: Call<{ name?: string; type?: string } & Printing>) {
  const [given = '', ...files] = args;
  const { id } = await session.collection(given);
  if (options.name !== undefined && files.length > 1) throw usageFailure('--name is for one file.');
  const stored: AttachmentMetadata[] = [];
  for (const file of files) stored.push(await sendFile(session, id, { ...options, file }));
  if (options.json) printJson(stored.length === 1 ? stored[0] : stored);
  else for (const { id: attachmentId } of stored) console.log(attachmentId);
  for (const { name, size } of stored) console.error(`Uploaded ${name} (${sizeText(size)}).`);
}

interface Wanted extends OutputOptions {
  readonly size?: ThumbnailSize;
}

async function download(session: UserSession, args: readonly string[], { size, output, force }: Wanted) {
  const [given = '', attachmentId = ''] = args;
  if (!isIdentifier('attachmentId', attachmentId)) {
    throw usageFailure(`${attachmentId} is not the ID of an attachment; \`attachments list ${given}\` shows them.`);
  }
  const { id: collectionId } = await session.collection(given);
  const { body: response } = await session.raw.downloadAttachment({ collectionId, attachmentId, size });
  const own = nameIn(response, attachmentId);
  const file = output ?? own;
  await save(chunksOf(response), { output: file, force, title: `Downloading ${own}` }, lengthOf(response));
  if (file !== '-') console.log(file);
}

interface Held {
  readonly attachment: AttachmentMetadata;
  readonly record: string;
  readonly column: string;
}

/** Attachments inside of Objects and Arrays too. */
function heldIn({ id, values }: RawRecord, { columns }: CollectionDefinition): Held[] {
  return columns.flatMap(({ id: columnId, name: column }) =>
    attachmentsIn(values[columnId]).map((attachment) => ({ attachment, record: id, column })),
  );
}

function attachmentsIn(value: RawValue | undefined): AttachmentMetadata[] {
  if (value?.type === 'Attachment') {
    const { id, name, contentType, size } = value;
    return [{ id, name, contentType, size }];
  }
  if (value?.type === 'Array') return value.value.flatMap(attachmentsIn);
  return value?.type === 'Object' ? Object.values(value.value).flatMap(attachmentsIn) : [];
}

async function list(session: UserSession, { args, options }: Call<RecordListOptions & Printing>): Promise<void> {
  const [given = '', record] = args;
  const collection = await session.collection(given);
  const held: Held[] = [];
  let isCut = false;
  if (record === undefined) {
    for await (const page of recordPages(session.raw, collection, options)) {
      held.push(...page.records.flatMap((one) => heldIn(one, collection)));
      isCut = page.isCut;
    }
  } else {
    const recordId = await findRecordId(session, collection, record);
    held.push(...heldIn((await session.raw.getRecord({ collectionId: collection.id, recordId })).body, collection));
  }
  if (options.json) printJson(held);
  else if (held.length === 0) console.log('These records hold no attachments.');
  else {
    const rows = held.map(({ attachment: { id, name, contentType, size }, record: holder, column }) => [
      id,
      name,
      contentType,
      sizeText(size),
      column,
      holder,
    ]);
    printTable([['ID', 'Name', 'Type', 'Size', 'Column', 'Record'], ...rows], { numbers: ['Size'] });
  }
  if (isCut) console.error('There are more records; --limit looks at as many as you say, or "all".');
}

export const ATTACHMENT_COMMANDS: readonly CommandRow[] = [
  userCommand<RecordListOptions & Printing>({
    usage: 'attachments list <collection> [record]',
    summary: 'list the attachments of a record, or of the records of a collection',
    options: [
      { flags: '--search <query>', text: 'only of records that a query finds' },
      { flags: '--limit <number>', text: 'how many records to look at, by default 100; "all" for all of them' },
      JSON_OPTION,
    ],
    examples: ['attachments list Photos', 'attachments list Photos r068t1q8s5nvdrb4v1m3g7k9e50'],
    run: list,
  }),
  userCommand<{ name?: string; type?: string } & Printing>({
    usage: 'attachments upload <collection> <files...>',
    summary: 'upload files and print the IDs of the attachments; - reads standard input',
    options: [
      { flags: '--name <name>', text: 'name of the attachment, by default that of the file' },
      { flags: '--type <type>', text: 'content type, by default from the name' },
      JSON_OPTION,
    ],
    details: `A record holds an attachment by its ID: \`records update Photos <record> Picture=<ID>\`. In one step,
\`records create Photos Picture=@roof.jpg\` uploads the file and creates the record. An attachment that no record holds is
deleted after some days.`,
    examples: ['attachments upload Photos roof.jpg'],
    run: upload,
  }),
  userCommand<OutputOptions>({
    usage: 'attachments download <collection> <attachment>',
    summary: 'download an attachment',
    options: OUTPUT_OPTIONS,
    examples: ['attachments download Photos a068t1q8s5nvdrb4v1m3g7k9e50 --output roof.jpg'],
    run: (session, { args, options }) => download(session, args, options),
  }),
  userCommand<OutputOptions & { size: string }>({
    usage: 'attachments thumbnail <collection> <attachment>',
    summary: 'download a thumbnail of an image, as WebP',
    options: [
      { flags: '--size <pixels>', text: `longest side: ${SIZES.join(', ')}`, default: '256' },
      ...OUTPUT_OPTIONS,
    ],
    examples: ['attachments thumbnail Photos a068t1q8s5nvdrb4v1m3g7k9e50 --size 512'],
    run: (session, { args, options }) => {
      const size = SIZES.find((known) => String(known) === options.size);
      if (size === undefined) throw usageFailure(`--size must be one of ${SIZES.join(', ')}.`);
      return download(session, args, { ...options, size });
    },
  }),
];
