// The table of the simple types: those that are allowed inside an Object or an Array.

import type { SimpleTypeName, SimpleValue } from '../../wire/values.ts';
import { attachmentType } from './attachment.ts';
import { booleanType } from './boolean.ts';
import { dateType } from './date.ts';
import { dateTimeType } from './date-time.ts';
import { locationType } from './location.ts';
import { numberType } from './number.ts';
import { stringType } from './string.ts';
import { timeType } from './time.ts';
import { userType } from './user.ts';
import type { ReadContext, ValueType } from './value-type.ts';

export const SIMPLE_VALUE_TYPES = {
  String: stringType,
  Number: numberType,
  Boolean: booleanType,
  DateTime: dateTimeType,
  Date: dateType,
  Time: timeType,
  Location: locationType,
  User: userType,
  Attachment: attachmentType,
} as const satisfies { [Name in SimpleTypeName]: ValueType<Extract<SimpleValue, { type: Name }>> };

export function readSimple(type: SimpleTypeName, input: unknown, context: ReadContext): SimpleValue {
  return SIMPLE_VALUE_TYPES[type].read(input, context, undefined);
}
