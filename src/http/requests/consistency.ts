// The header Cartulary-Consistency: whether a replica may serve a read.

import { fault } from '../../faults.ts';
import type { Parameter } from './query.ts';

const NAME = 'Cartulary-Consistency';
export const CONSISTENCY_HEADER = 'cartulary-consistency';
const CONSISTENCIES = ['strong', 'eventual'] as const;
export const EVENTUAL = 'eventual' satisfies (typeof CONSISTENCIES)[number];

const PARAMETER: Parameter = {
  schema: { type: 'string', enum: CONSISTENCIES, default: 'strong' },
  sentence:
    '`eventual` allows a replica of the database to serve the request: what others wrote may be missing for a while.',
};

export const CONSISTENCY_PARAMETERS = { [NAME]: PARAMETER } as const;
export const CONSISTENCY_REPLY = { [NAME]: '`eventual` if a replica served the request.' } as const;

export function allowsReplica(value: string | undefined): boolean {
  if (value === undefined || value === 'strong') return false;
  if (value === EVENTUAL) return true;
  throw fault('INVALID_PARAMETER', { parameter: NAME, reason: `must be one of ${CONSISTENCIES.join(', ')}` });
}
