// `cartulary types`: the types of an application's records, for programs that use the client.

import { writeFile } from 'node:fs/promises';
import { CommandFailure } from '../failure.ts';
import { type Typed, typeText } from '../type-text.ts';
import { findApplication } from './names.ts';
import { type CommandRow, operatorCommand } from './row.ts';

interface Writing {
  readonly out?: string;
}

export const TYPE_COMMANDS: readonly CommandRow[] = [
  operatorCommand<Writing>({
    usage: 'types <application>',
    byProfile: true,
    summary: 'write the TypeScript types of an application, for programs that use its client',
    options: [{ flags: '--out <file>', text: 'write to a file instead of the standard output' }],
    details: 'With these types, a wrong column name or value does not compile. Write them anew after each publishing.',
    examples: ["types 'Field inspections' --out inspections.ts"],
    run: async (client, { args: [given = ''], options }) => {
      await write(await findApplication(client, given), options);
    },
  }),
];

async function write(application: Typed, { out }: Writing): Promise<void> {
  const text = typeText(application);
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(out, text);
  } catch (error) {
    throw new CommandFailure(`Cannot write ${out}: ${(error as Error).message}`);
  }
}
