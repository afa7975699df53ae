// The rules for passwords (domain/people/passwords) as every door answers them.

import { passwordWeakness } from '../../domain/people/passwords.ts';
import { fault } from '../../faults.ts';

export function refuseWeak(password: string, property: string): void {
  const weakness = passwordWeakness(password);
  if (weakness !== undefined) throw fault('WEAK_PASSWORD', { property, reason: weakness });
}
