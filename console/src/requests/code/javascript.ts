// A request as a program for Node, with `fetch` and with the typed client.

import { type Call, fileOf, hasReply } from './call.ts';
import { JAVASCRIPT, literal } from './literal.ts';

const openFile = (file: string | undefined): string =>
  file === undefined ? '' : "import { openAsBlob } from 'node:fs';\n";

const AUTHORIZATION = `Authorization: \`Bearer \${process.env.TOKEN}\``;

export function javascript(call: Call): string {
  const { method, address, query, headers, body } = call;
  const file = fileOf(body);
  const options = [
    ...(method === 'GET' ? [] : [`method: ${literal(method, JAVASCRIPT)}`]),
    headers.length === 0
      ? `headers: { ${AUTHORIZATION} }`
      : `headers: {\n    ${AUTHORIZATION},\n${headers
          .map(([name, text]) => `    ${literal(name, JAVASCRIPT)}: ${literal(text, JAVASCRIPT)},\n`)
          .join('')}  }`,
    ...(body !== undefined && 'json' in body
      ? [`body: JSON.stringify(${literal(JSON.parse(body.json), JAVASCRIPT, 1)})`]
      : []),
    ...(file === undefined ? [] : [`body: await openAsBlob(${literal(file, JAVASCRIPT)})`]),
  ];
  const parameters =
    query.length === 0 ? '' : `const query = new URLSearchParams(${literal(Object.fromEntries(query), JAVASCRIPT)});\n`;
  const url = query.length === 0 ? literal(address, JAVASCRIPT) : `\`${address}?\${query}\``;
  return [
    openFile(file),
    parameters,
    `const reply = await fetch(${url}, {\n${options.map((option) => `  ${option},\n`).join('')}});\n`,
    'if (!reply.ok) throw new Error(await reply.text());\n',
    hasReply(call) ? 'console.log(await reply.json());\n' : 'console.log(reply.status);\n',
  ].join('');
}

/** With the typed client; undefined for what it does not have. */
export function withClient(call: Call): string | undefined {
  const { address, body, operation, application } = call;
  if (operation === undefined) return undefined;
  const file = fileOf(body);
  const connection = { url: new URL(address).origin, application };
  const input = {
    ...operation.input,
    ...(body !== undefined && 'json' in body ? { body: JSON.parse(body.json) as unknown } : {}),
  };
  const given = Object.keys(input).length === 0 && file === undefined ? '{}' : literal(input, JAVASCRIPT);
  const bytes = file?.endsWith('.json')
    ? `JSON.parse(await (await openAsBlob('${file}')).text())`
    : `await openAsBlob('${file}')`;
  const argument = file === undefined ? given : `{ ...${given}, body: ${bytes} }`;
  return [
    openFile(file),
    "import { createClient } from 'cartulary-client';\n\n",
    'const client = createClient({\n',
    ...Object.entries(connection).map(([name, text]) => `  ${name}: ${literal(text, JAVASCRIPT)},\n`),
    '  token: process.env.TOKEN,\n});\n',
    `const ${hasReply(call) ? '{ body }' : '{ status }'} = await client.raw.${operation.name}(${argument});\n`,
    `console.log(${hasReply(call) ? 'body' : 'status'});\n`,
  ].join('');
}
