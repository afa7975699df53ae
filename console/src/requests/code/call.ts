// A request in the parts that every language writes down.

import type { SentBody, SentRequest } from '../../api/sent-requests.ts';
import { type CalledOperation, isTold, operationOf } from '../operation-of.ts';

export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly address: string;
  readonly query: readonly (readonly [name: string, text: string])[];
  /** Besides the credentials. */
  readonly headers: readonly (readonly [name: string, text: string])[];
  readonly body: SentBody | undefined;
  /** Undefined for what the typed client does not have. */
  readonly operation: CalledOperation | undefined;
  readonly application: string;
}

export function callOf(sent: SentRequest, application: string): Call {
  const { method, url, headers, body } = sent;
  const { origin, pathname, searchParams } = new URL(url);
  return {
    method,
    address: origin + pathname,
    query: [...searchParams],
    headers: Object.entries(headers)
      .filter(([name]) => isTold(name))
      .map(([name, text]) => [name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()), text] as const),
    body,
    operation: operationOf(sent, application),
    application,
  };
}

/** The file that a body has to be put into where it is not kept. */
export const fileOf = (body: SentBody | undefined): string | undefined =>
  body === undefined || 'json' in body ? undefined : body.notKept === 'json' ? 'body.json' : 'file';

/** Whether the server sends something back. */
export const hasReply = ({ operation }: Call): boolean => operation?.reply !== 'none';
