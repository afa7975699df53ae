// Stands in for curl where it is not installed: the few options that the documentation uses, and no others. Each
// answer also goes into the file that CURL_LOG names, for the test to look at. Without `fetch`, which would take half of
// the time of the hundred programs that the examples are.

import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';

const headers = new Map<string, string>();
let method: string | undefined;
let body: string | Uint8Array | undefined;
/** Sent without a type, unlike a body. */
let file: Uint8Array | undefined;
let output: string | undefined;
let jar: string | undefined;
let address = '';
let withHead = false;
let failsOnErrors = false;
let inAddress = false;
const encoded = new URLSearchParams();

const args = process.argv.slice(2);
const next = (): string => args.shift() ?? '';
for (let argument = next(); argument !== ''; argument = next()) {
  if (argument === '-sS') continue;
  if (argument === '--fail-with-body') failsOnErrors = true;
  else if (argument === '-i') withHead = true;
  else if (argument === '-G') inAddress = true;
  else if (argument === '--data-urlencode') addEncoded(next());
  else if (argument === '-X') method = next();
  else if (argument === '-d') body = data(next());
  else if (argument === '--data-binary') body = binary(next());
  else if (argument === '-T') file = readFileSync(next());
  else if (argument === '-F') body = form(next());
  else if (argument === '-o') output = next();
  else if (argument === '-c') jar = next();
  else if (argument === '-b') headers.set('cookie', readFileSync(next(), 'utf8'));
  else if (argument === '-I') method = 'HEAD';
  else if (argument === '-u') headers.set('authorization', `Basic ${Buffer.from(next()).toString('base64')}`);
  else if (argument === '-H') addHeader(next());
  else if (/^https?:/.test(argument) && address === '') address = argument;
  else throw new Error(`test/docs/curl.ts does not know ${argument}`);
}

function data(text: string): string {
  if (!text.startsWith('@')) return text;
  // curl drops line breaks from what it reads with -d.
  return readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8').replaceAll(/[\r\n]/g, '');
}

function binary(text: string): string | Uint8Array {
  return text.startsWith('@') ? readFileSync(text.slice(1)) : text;
}

/** `name=@path;type=media/type`. */
function form(text: string): string {
  const [, name, path = '', type] = /^(\w+)=@([^;]+);type=(.+)$/.exec(text) ?? [];
  headers.set('content-type', 'multipart/form-data; boundary=of-this-form');
  const described = `Content-Disposition: form-data; name="${name}"; filename="${basename(path)}"\r\nContent-Type: ${type}`;
  return `--of-this-form\r\n${described}\r\n\r\n${readFileSync(path, 'utf8')}\r\n--of-this-form--\r\n`;
}

/** `name=value`, where only the value is encoded. */
function addEncoded(text: string): void {
  const equals = text.indexOf('=');
  encoded.append(text.slice(0, equals), text.slice(equals + 1));
}

function addHeader(line: string): void {
  const colon = line.indexOf(':');
  headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
}

if (encoded.size > 0) {
  if (!inAddress) throw new Error('test/docs/curl.ts knows --data-urlencode only together with -G');
  address += `${address.includes('?') ? '&' : '?'}${encoded}`;
}
// curl sends a form unless it is told otherwise.
if (body !== undefined && !headers.has('content-type')) {
  headers.set('content-type', 'application/x-www-form-urlencoded');
}
const sent = request(address, {
  method: method ?? (body === undefined ? 'GET' : 'POST'),
  headers: Object.fromEntries(headers),
});
sent.end(file ?? body);
const [response] = (await once(sent, 'response')) as [IncomingMessage];
const bytes = await buffer(response);
const text = bytes.toString();
if (withHead) {
  const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  process.stdout.write(`HTTP/1.1 ${response.statusCode}\r\n${lines.join('')}\r\n`);
}
if (jar !== undefined) {
  const cookies = response.headers['set-cookie'] ?? [];
  writeFileSync(jar, cookies.map((line) => line.split(';')[0]).join('; '));
}
if (output === undefined) process.stdout.write(text);
else writeFileSync(output, bytes);
appendFileSync(process.env.CURL_LOG ?? '', `${JSON.stringify({ status: response.statusCode, text })}\n`);
if (!failsOnErrors) throw new Error('an example without --fail-with-body hides what was refused');
if (Number(response.statusCode) >= 400) process.exitCode = 22;
