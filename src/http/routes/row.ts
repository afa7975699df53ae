// The types of routes. The kind of caller decides which stages a request passes and which context its operation gets
// (http/handle.ts); everything else is data of the route.

import type { Context, OperatorContext, VisitorContext } from '../../context.ts';
import type { Permission } from '../../gate/permit.ts';
import { readEventually } from '../../operations/records/replica-reads.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';
import type { Reply } from '../replies/reply.ts';
import { type Success, withHeaders } from '../replies/success.ts';
import {
  allowsReplica,
  CONSISTENCY_HEADER,
  CONSISTENCY_PARAMETERS,
  CONSISTENCY_REPLY,
  EVENTUAL,
} from '../requests/consistency.ts';
import { KEY_PARAMETERS } from '../requests/idempotency-key.ts';
import type { BodyRule, Input } from '../requests/input.ts';
import type { Parameters } from '../requests/query.ts';

interface Row<Body> {
  /** HEAD and OPTIONS only for operations of their own; HEAD works wherever GET does. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  /** The query parameters that the operation reads; others are ignored, unless it refuses them. */
  readonly parameters?: Parameters;
  /** The headers that only some operations read. */
  readonly headers?: Parameters;
  /** Refuses unknown and repeated parameters, a slash at the end of the path, and a body of a DELETE: a slip would destroy data. */
  readonly refusesOthers?: true;
  /** Refuses only the slash: without the ID after it, more would be ended than was meant. */
  readonly refusesFinalSlash?: true;
  /** Absent: the operation takes no JSON. */
  readonly body?: BodyRule<Body>;
  readonly sentence: string;
}

/** Of the interface for programs, which its OpenAPI document describes. */
interface Described {
  /** The name under which generated clients know it: a verb and a noun. */
  readonly operation: string;
  readonly success: readonly Success[];
}

/** A user of the application, signed in by token, password or session. */
export interface UserRoute<Body = unknown> extends Row<Body>, Described {
  readonly caller: 'user';
  readonly permission: Permission;
  /** Absent: the operation is counted against no quota. */
  readonly group?: QuotaGroup;
  /** Never for pages of other origins, whatever the operator and the application allow (http/cross-origin). */
  readonly ownPagesOnly?: true;
  /** Headers of the reply that pages of other origins may read, besides those of every route. */
  readonly exposes?: readonly string[];
  /** Headers of every reply, refusals too. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** The reply holds a secret, so it is not compressed (http/compression). */
  readonly showsSecret?: true;
  /** Takes an Idempotency-Key: the operation keeps its reply (operations/keyed-requests). */
  readonly keyed?: true;
  /** The body is bytes, which the operation reads itself. */
  readonly takesBytes?: true;
  readonly run: (context: Context, input: Input<Body>, server: { publicUrl: () => string }) => Promise<Reply> | Reply;
}

/** Signing in: the application need not exist. Only the page for signing in, which names it, may show whether it does. */
export interface VisitorRoute<Body = unknown> extends Row<Body>, Described {
  readonly caller: 'visitor';
  /** If the path does not name the application: a well-formed identifier, or ''. */
  readonly applicationOf?: (input: Input<Body>) => string;
  readonly run: (context: VisitorContext, input: Input<Body>) => Promise<Reply> | Reply;
}

/** Outside of applications, for the operator. Not subject to admission or the deadline of requests. */
export interface OperatorRoute<Body = unknown> extends Row<Body> {
  readonly caller: 'operator';
  /** `operator`: by the key, or by a user whom the operator has named. `open`: needs no key. */
  readonly permission: 'operator' | 'key' | 'open';
  /** The client continues on the same connection, even while the server is being stopped. */
  readonly keepsConnection?: true;
  readonly run: (context: OperatorContext, input: Input<Body>) => Promise<Reply> | Reply;
}

export type Route = UserRoute | VisitorRoute | OperatorRoute;

// The type of the body matters only inside a route.

export const userRoute = <Body>(row: Omit<UserRoute<Body>, 'caller'>): UserRoute =>
  ({ caller: 'user', ...row }) as UserRoute;

/** A route that takes an Idempotency-Key. */
export const keyedRoute = <Body>(row: Omit<UserRoute<Body>, 'caller' | 'keyed'>): UserRoute => {
  const headers = { ...row.headers, ...KEY_PARAMETERS };
  const success = row.success.map((each) => withHeaders(each, { ...each.headers, 'Idempotency-Replayed': REPLAYED }));
  return userRoute({ ...row, headers, success, keyed: true });
};

const REPLAYED = '`true` if the request was done before, and this is the reply of that time.';

/** A route that reads records, from a replica if the caller allows it. */
export const replicaRoute = <Body>(row: Omit<UserRoute<Body>, 'caller'>): UserRoute => {
  const headers = { ...row.headers, ...CONSISTENCY_PARAMETERS };
  const success = row.success.map((each) => withHeaders(each, { ...each.headers, ...CONSISTENCY_REPLY }));
  const run: typeof row.run = (context, input, server) => {
    if (!allowsReplica(input.header(CONSISTENCY_HEADER))) return row.run(context, input, server);
    return readEventually(
      context,
      (from) => row.run(from, input, server),
      () => {
        context.scope.headers[CONSISTENCY_HEADER] = EVENTUAL;
      },
    );
  };
  return userRoute({ ...row, headers, success, run });
};

export const visitorRoute = <Body>(row: Omit<VisitorRoute<Body>, 'caller'>): VisitorRoute =>
  ({ caller: 'visitor', ...row }) as VisitorRoute;

export const operatorRoute = <Body>(row: Omit<OperatorRoute<Body>, 'caller'>): OperatorRoute =>
  ({ caller: 'operator', ...row }) as OperatorRoute;

/** For a body that carries no records. */
export const ORDINARY_BYTES_MAX = 100 * 1024;

export const COLLECTION = '/v1/:applicationId/collections/:collectionId';
