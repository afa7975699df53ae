// Everybody may read what they see in the console; who may change it depends on the collection.

import type { CollectionDefinition, RawRecord, Session } from '../api/client.ts';

interface Scene {
  readonly collection: CollectionDefinition;
  readonly session: Session | undefined;
}

export const mayWrite = ({ collection, session }: Scene, record: RawRecord): boolean =>
  collection.writeAccessType === 'everyone' || session?.admin === true || record.createdBy.id === session?.user.id;
