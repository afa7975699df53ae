// Validators of JSON, made from our own schemas. Compiling one takes milliseconds and the largest a tenth of a second,
// so each is compiled when the first body comes that it is for, and a server starts without any.

import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';

/** `schemaOf` is asked once. */
export function jsonValidators(options: Options): (schemaOf: () => object) => () => ValidateFunction {
  // The schemas are the program's own; that they are valid is looked at in a test, as it takes longer than all else.
  const ajv = new Ajv2020({ ...options, validateSchema: false });
  return (schemaOf) => {
    let compiled: ValidateFunction | undefined;
    return () => (compiled ??= ajv.compile(schemaOf()));
  };
}
