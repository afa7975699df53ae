// Stands in for curl, which is not installed everywhere: the few options that the documentation uses, and no others. It
// runs in the process of the test: starting Node for each of the two hundred requests took most of their time.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { basename, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { checkReply } from '../support/reply-shapes.ts';

export interface CurlCall {
  readonly args: readonly string[];
  /** The folder in which it was called. */
  readonly folder: string;
  /** What is read for `@-`. */
  readonly input: string;
}

export interface CurlResult {
  readonly status: number;
  readonly text: string;
  /** For standard output. */
  readonly printed: Uint8Array;
  readonly exitCode: number;
}

export async function curl(call: CurlCall): Promise<CurlResult> {
  const { address, method, headers, body, withHead, jar, output, failsOnErrors } = parse(call);
  if (!failsOnErrors) throw new Error('an example without --fail-with-body hides what was refused');
  const sent = request(address, { method, headers: Object.fromEntries(headers), agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const status = Number(response.statusCode);
  const { pathname, search } = new URL(address);
  const contentType = response.headers['content-type'];
  checkReply(method, `${pathname}${search}`, { status, contentType, text: bytes.toString() });
  if (jar !== undefined) {
    const cookies = response.headers['set-cookie'] ?? [];
    writeFileSync(jar, cookies.map((line) => line.split(';')[0]).join('; '));
  }
  if (output !== undefined) writeFileSync(output, bytes);
  const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = withHead ? `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n` : '';
  return {
    status,
    text: bytes.toString(),
    printed: Buffer.concat([Buffer.from(head), output === undefined ? bytes : Buffer.of()]),
    exitCode: status >= 400 ? 22 : 0,
  };
}

interface Parsed {
  address: string;
  method: string;
  readonly headers: Map<string, string>;
  body: string | Uint8Array | undefined;
  withHead: boolean;
  failsOnErrors: boolean;
  jar: string | undefined;
  output: string | undefined;
}

function parse({ args, folder, input }: CurlCall): Parsed {
  const headers = new Map<string, string>();
  const parsed: Parsed = {
    address: '',
    method: '',
    headers,
    body: undefined,
    withHead: false,
    failsOnErrors: false,
    jar: undefined,
    output: undefined,
  };
  const encoded = new URLSearchParams();
  let inAddress = false;
  let hasType = true;
  const left = [...args];
  const next = (): string => left.shift() ?? '';
  const path = () => resolve(folder, next());
  const options: Record<string, () => void> = {
    '-sS': () => undefined,
    '--fail-with-body': () => (parsed.failsOnErrors = true),
    '-i': () => (parsed.withHead = true),
    '-G': () => (inAddress = true),
    '--data-urlencode': () => addEncoded(encoded, next()),
    '-X': () => (parsed.method = next()),
    '-d': () => (parsed.body = data(next(), folder, input)),
    '--data-binary': () => (parsed.body = binary(next(), folder)),
    // Sent without a type, unlike a body.
    '-T': () => {
      parsed.body = readFileSync(path());
      hasType = false;
    },
    '-F': () => (parsed.body = form(next(), folder, headers)),
    '-o': () => (parsed.output = path()),
    '-c': () => (parsed.jar = path()),
    '-b': () => headers.set('cookie', readFileSync(path(), 'utf8')),
    '-I': () => (parsed.method = 'HEAD'),
    '-u': () => headers.set('authorization', `Basic ${Buffer.from(next()).toString('base64')}`),
    '-H': () => addHeader(headers, next()),
  };
  for (let argument = next(); argument !== ''; argument = next()) {
    const option = options[argument];
    if (option !== undefined) option();
    else if (/^https?:/.test(argument) && parsed.address === '') parsed.address = argument;
    else throw new Error(`test/docs/curl.ts does not know ${argument}`);
  }
  if (encoded.size > 0) {
    if (!inAddress) throw new Error('test/docs/curl.ts knows --data-urlencode only together with -G');
    parsed.address += `${parsed.address.includes('?') ? '&' : '?'}${encoded}`;
  }
  const isForm = parsed.body !== undefined && hasType;
  // curl sends a form unless it is told otherwise.
  if (isForm && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded');
  if (parsed.method === '') parsed.method = isForm ? 'POST' : hasType ? 'GET' : 'PUT';
  return parsed;
}

function data(text: string, folder: string, input: string): string {
  if (!text.startsWith('@')) return text;
  const read = text === '@-' ? input : readFileSync(resolve(folder, text.slice(1)), 'utf8');
  // curl drops line breaks from what it reads with -d.
  return read.replaceAll(/[\r\n]/g, '');
}

const binary = (text: string, folder: string): string | Uint8Array =>
  text.startsWith('@') ? readFileSync(resolve(folder, text.slice(1))) : text;

/** `name=@path;type=media/type`. */
function form(text: string, folder: string, headers: Map<string, string>): string {
  const [, name, path = '', type] = /^(\w+)=@([^;]+);type=(.+)$/.exec(text) ?? [];
  headers.set('content-type', 'multipart/form-data; boundary=of-this-form');
  const described = `Content-Disposition: form-data; name="${name}"; filename="${basename(path)}"\r\nContent-Type: ${type}`;
  return `--of-this-form\r\n${described}\r\n\r\n${readFileSync(resolve(folder, path), 'utf8')}\r\n--of-this-form--\r\n`;
}

/** `name=value`, where only the value is encoded. */
function addEncoded(encoded: URLSearchParams, text: string): void {
  const equals = text.indexOf('=');
  encoded.append(text.slice(0, equals), text.slice(equals + 1));
}

function addHeader(headers: Map<string, string>, line: string): void {
  const colon = line.indexOf(':');
  headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
}
