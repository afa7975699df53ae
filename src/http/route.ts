// What a row of the interface's table is made of (http/routes).

import type { Context } from '../context.ts';
import type { Permission } from '../gate/permit.ts';
import type { QuotaGroup } from '../wire/publish-document.ts';
import type { Answer } from './answer.ts';
import type { Shape } from './shapes.ts';

/** What an operation sees of the request: nothing of the transport but the headers it asks for. */
export interface Input<Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly header: (name: string) => string | undefined;
  /** Asked for by HEAD: as GET, without the body. */
  readonly isHead: boolean;
  /** Where the client found this, without the query, for links that lead on. */
  readonly address: () => string;
  readonly body: Body;
  /** The body of an upload, of which there may be so many bytes. To be called once, behind every other check. */
  readonly bytes: (bytesMax: number) => AsyncIterable<Uint8Array>;
}

export interface BodyRule<Body> {
  readonly shape: Shape<Body>;
  readonly bytesMax: number;
}

export interface Route<Body = unknown> {
  /** HEAD and OPTIONS stand here only where they are operations of their own; HEAD works wherever GET does. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly permission: Permission;
  /** Absent: the operation is counted against no quota. */
  readonly group?: QuotaGroup;
  /** The query parameters that it reads; all others are ignored, unless it refuses them. */
  readonly parameters?: readonly string[];
  /** Where a slip would destroy: a parameter that it does not read, or that is given twice, is an error. */
  readonly refusesOthers?: true;
  /** Absent: the operation takes no JSON. */
  readonly body?: BodyRule<Body>;
  /** The body is bytes, which the operation reads itself. */
  readonly takesBytes?: true;
  readonly sentence: string;
  readonly run: (context: Context, input: Input<Body>, server: { publicUrl: () => string }) => Promise<Answer> | Answer;
}

/** Of a body that carries no records. */
export const ORDINARY_BYTES_MAX = 100 * 1024;

export const COLLECTION = '/v1/:applicationId/collections/:collectionId';

/** The row's body type is known inside the row and of no interest outside of it. */
export const route = <Body>(row: Route<Body>): Route => row as Route;
