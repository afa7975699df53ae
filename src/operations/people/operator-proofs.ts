// The server proves that it knows the operator key, to whoever asks.

import type { OperatorContext } from '../../context.ts';
import type { OperatorProof, ProofRequest } from '../../wire/operator.ts';

export function prove(context: OperatorContext, { nonce }: ProofRequest): OperatorProof {
  const { source, endpoint, paceProofs, proveKey } = context;
  paceProofs(source.ip);
  return proveKey(nonce, endpoint);
}
