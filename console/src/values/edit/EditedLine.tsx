// The editors for which a line is enough. The grid has them from the start, so that a cell can be typed over at once.

import type { ColumnDefinition } from '../../api/client.ts';
import { EditDate } from './date.tsx';
import { EditDateTime } from './date-time.tsx';
import type { EditProps } from './edit-props.ts';
import { EditNumber } from './number.tsx';
import { EditString } from './string.tsx';
import { EditTime } from './time.tsx';

const LINES = { String: EditString, Number: EditNumber, Date: EditDate, Time: EditTime, DateTime: EditDateTime };

export type LineType = keyof typeof LINES;

export const isLine = (type: ColumnDefinition['type']): type is LineType => Object.hasOwn(LINES, type);

export function EditedLine({ type, ...props }: EditProps & { readonly type: LineType }) {
  const Editor = LINES[type];
  return <Editor {...props} />;
}
