// Which operation of the interface a request is, and with which input, as the typed client calls it.

import { OPERATIONS, type Operation, type OperationName } from '../../../client/src/operations.ts';
import type { SentRequest } from '../api/sent-requests.ts';

export interface CalledOperation {
  readonly name: OperationName;
  readonly reply: Operation['reply'];
  /** Without the body. */
  readonly input: Readonly<Record<string, string | number>>;
}

/** Numbers in the interface; everything else in addresses and headers is text. */
const NUMBERS = new Set(['limit', 'skip', 'uploadLength', 'uploadOffset']);

const inputOf = (name: string, text: string) => [name, NUMBERS.has(name) ? Number(text) : text] as const;

/** `path`: below the application's address. Undefined for what the interface does not have. */
export function operationOf(
  { method, url, headers }: Pick<SentRequest, 'method' | 'url' | 'headers'>,
  application: string,
): CalledOperation | undefined {
  const { pathname, searchParams } = new URL(url);
  const below = `/v1/${encodeURIComponent(application)}`;
  if (!pathname.startsWith(below)) return undefined;
  const path = pathname.slice(below.length);
  const found = (Object.keys(OPERATIONS) as OperationName[])
    .filter((name) => OPERATIONS[name].method === method)
    .flatMap((name) => {
      const inPath = matchPath(OPERATIONS[name].path, path);
      return inPath === undefined ? [] : [{ name, inPath }];
    })
    // `/records/figures` is not the record called "figures".
    .sort((a, b) => Object.keys(a.inPath).length - Object.keys(b.inPath).length)[0];
  if (found === undefined) return undefined;
  const operation: Operation = OPERATIONS[found.name];
  const inQuery = (operation.query ?? []).flatMap((name) => {
    const text = searchParams.get(name);
    return text === null ? [] : [inputOf(name, text)];
  });
  const inHeaders = Object.entries(operation.headers ?? {}).flatMap(([name, header]) => {
    const text = headers[header.toLowerCase()];
    return text === undefined || !isTold(header) ? [] : [inputOf(name, text)];
  });
  return {
    name: found.name,
    reply: operation.reply,
    input: { ...found.inPath, ...Object.fromEntries([...inQuery, ...inHeaders]) },
  };
}

/** A key of an earlier request would bring back its reply, and the client makes one by itself. */
export const isTold = (header: string): boolean => header.toLowerCase() !== 'idempotency-key';

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined && text !== '') parameters[name] = decodeURIComponent(text);
    else if (part !== text) return undefined;
  }
  return parameters;
}
