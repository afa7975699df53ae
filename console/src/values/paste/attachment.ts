import type { Read } from './reading.ts';

/** A name is not a file. Files are copied within the console only. */
export const readAttachment = (): Read => ({ problem: 'file' });
