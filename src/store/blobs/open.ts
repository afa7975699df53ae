// Selects the store of attachment bytes. Apart from store/blobs/blobs, which both stores import.

import type { Blobs } from './blobs.ts';
import { createDiskBlobs } from './disk.ts';
import { createS3Blobs } from './s3.ts';
import type { S3Options } from './s3-client.ts';
import { keepSmallFiles } from './small-files.ts';

export type BlobLocation = { readonly kind: 'disk'; readonly folder: string } | ({ readonly kind: 's3' } & S3Options);

/** The caller opens it. `spoolFolder`: uploads to S3 pass through files in it. */
export function createBlobs(location: BlobLocation, spoolFolder: string): Blobs {
  return keepSmallFiles(
    location.kind === 'disk' ? createDiskBlobs(location.folder) : createS3Blobs({ ...location, spoolFolder }),
  );
}
