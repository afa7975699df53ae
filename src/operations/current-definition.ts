// A request that was on its way while its application was published anew starts over with the new definition. Nothing
// was written for the old one: the fence (store/fence) saw to that.

import { StaleDefinition } from '../store/sqlstate.ts';

const ATTEMPTS = 5;

export async function withCurrentDefinition<T>(work: () => Promise<T>, forget: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleDefinition) || attempt === ATTEMPTS) throw error;
      forget();
    }
  }
}
