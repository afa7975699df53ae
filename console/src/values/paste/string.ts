import type { Read } from './reading.ts';

export const readString = (text: string): Read => ({ value: { type: 'String', value: text } });
