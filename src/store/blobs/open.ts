// The store of attachment bytes that the settings name.

import type { Blobs } from './blobs.ts';
import { createDiskBlobs } from './disk.ts';
import { createS3Blobs } from './s3.ts';
import type { S3Options } from './s3-client.ts';

export type AttachmentsPlace =
  | { readonly kind: 'disk'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Options);

/** Not opened yet. `spoolFolder`: where uploads into S3 pass through; the disk has no use for it. */
export function openBlobs(place: AttachmentsPlace, spoolFolder: string): Blobs {
  return place.kind === 'disk' ? createDiskBlobs(place.folder) : createS3Blobs({ ...place, spoolFolder });
}
