// The uploads of one editor: several files at a time, each with its progress, to be cancelled or tried again.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type AttachmentMetadata, clientOf } from '../../../api/client.ts';
import { sessionQuery } from '../../../api/session.ts';
import { useSentence } from '../../../messages/problem.ts';
import type { Where } from '../../where.ts';
import { type Interrupted, interruptedUploads } from './interrupted.ts';
import { abandonUpload, sendFile } from './send-file.ts';

export interface Upload {
  readonly key: number;
  readonly file: File;
  /** Undefined for files that are sent in one piece. */
  readonly percent: number | undefined;
  readonly waiting: boolean;
  readonly problem: string | undefined;
  readonly abort: AbortController;
}

/** More share the same connection and finish no sooner. */
const AT_ONCE = 2;

interface Uploads {
  readonly uploads: readonly Upload[];
  readonly interrupted: readonly Interrupted[];
  readonly start: (files: readonly File[]) => void;
  readonly cancel: (upload: Upload) => void;
  readonly retry: (upload: Upload) => void;
}

let lastKey = 0;

export function useUploads(where: Where, column: string, onStored: (metadata: AttachmentMetadata) => void): Uploads {
  const { application, collection } = where;
  const sentence = useSentence();
  const userId = useQueryClient().getQueryData(sessionQuery(application).queryKey)?.user.id ?? '';
  const place = `${userId}.${collection}.${column}`;
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const store = useRef(onStored);
  const running = useRef<readonly Upload[]>([]);
  const begun = useRef(new Set<number>());
  useEffect(() => {
    store.current = onStored;
    running.current = uploads;
  });
  useEffect(
    () => () => {
      for (const { abort } of running.current) abort.abort();
    },
    [],
  );

  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((known) => known.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));
  const drop = (key: number) => setUploads((known) => known.filter((upload) => upload.key !== key));

  async function run({ key, file, abort: { signal } }: Upload): Promise<void> {
    try {
      const metadata = await sendFile(clientOf(application), file, {
        collection,
        place,
        signal,
        onProgress: (percent) => change(key, { percent }),
        onWaiting: (waiting) => change(key, { waiting }),
      });
      drop(key);
      store.current(metadata);
    } catch (error) {
      if (!signal.aborted) change(key, { problem: sentence(error), waiting: false });
    }
  }

  const active = uploads.filter(({ problem }) => problem === undefined).slice(0, AT_ONCE);
  useEffect(() => {
    for (const upload of active) {
      if (begun.current.has(upload.key)) continue;
      begun.current.add(upload.key);
      void run(upload);
    }
  });

  const queued = (file: File): Upload => {
    lastKey += 1;
    const abort = new AbortController();
    return { key: lastKey, file, percent: undefined, waiting: false, problem: undefined, abort };
  };
  return {
    uploads,
    interrupted: uploads.length > 0 ? [] : interruptedUploads(place),
    start: (files) => setUploads((known) => [...known, ...files.map(queued)]),
    cancel: (upload) => {
      upload.abort.abort();
      drop(upload.key);
      void abandonUpload(clientOf(application), upload.file, { collection, place });
    },
    retry: (upload) =>
      setUploads((known) => known.map((each) => (each.key === upload.key ? queued(upload.file) : each))),
  };
}
