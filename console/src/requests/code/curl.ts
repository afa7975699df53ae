// A request as a command of a POSIX shell.

import { type Call, fileOf, hasReply } from './call.ts';

/** Nothing within single quotes means anything to a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Longer ones are easier to read in lines. */
const LINE_MAX = 72;

const readable = (json: string): string =>
  json.length <= LINE_MAX ? json : JSON.stringify(JSON.parse(json), undefined, 2);

export function curl(call: Call): string {
  const { method, headers, body } = call;
  const file = fileOf(body);
  // `-G` would put the body into the address as well.
  const written = body === undefined ? call.query : [];
  const inAddress = body === undefined ? '' : String(new URLSearchParams(call.query.map(([...pair]) => pair)));
  const address = inAddress === '' ? call.address : `${call.address}?${inAddress}`;
  const lines = [
    `curl -sS --fail-with-body${written.length > 0 ? ' -G' : ''}`,
    quoted(address),
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $TOKEN"',
    ...headers.map(([name, text]) => `-H ${quoted(`${name}: ${text}`)}`),
    ...written.map(([name, text]) => `--data-urlencode ${quoted(`${name}=${text}`)}`),
    ...(body !== undefined && 'json' in body ? [`--data-raw ${quoted(readable(body.json))}`] : []),
    ...(file === undefined ? [] : [`--data-binary @${file}`]),
    ...(hasReply(call) ? [] : ["-w '%{http_code}\\n'"]),
  ];
  return `${lines.join(' \\\n  ')}\n`;
}
