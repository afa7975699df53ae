// The validator of publish documents that the build compiles from their schema (vite.config.ts).

declare module 'virtual:document-validator' {
  import type { ValidateFunction } from 'ajv/dist/2020.js';

  const validate: ValidateFunction;
  export default validate;
}
