// The replies that most commands begin with, checked for their shape: another program may listen at the server's address, and its
// reply would fail a command in the middle, or be saved as a log.

import type { CallOptions, RawOperations } from '../../client/src/operation-types.ts';
import { CommandFailure } from './failure.ts';

type Call = (input: object, options?: CallOptions) => Promise<{ readonly body: unknown }>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const CHECKS = {
  getApplication: (body: unknown) => isObject(body) && Array.isArray(body.collections),
  getSession: (body: unknown) => isObject(body) && isObject(body.user),
  exportActivityLog: (body: unknown) =>
    body instanceof Response && body.headers.get('content-type')?.startsWith('application/x-ndjson') === true,
} as const satisfies Partial<Record<keyof RawOperations, (body: unknown) => boolean>>;

export function checkedReplies(raw: RawOperations, address: string): RawOperations {
  const checked = Object.entries(CHECKS).map(([name, isRight]) => {
    const call = raw[name as keyof typeof CHECKS] as Call;
    const checkedCall: Call = async (input, options) => {
      const reply = await call(input, options);
      if (isRight(reply.body)) return reply;
      throw new CommandFailure(`${address} replied with something other than a Cartulary server does. Is it one?`);
    };
    return [name, checkedCall];
  });
  return { ...raw, ...Object.fromEntries(checked) };
}
