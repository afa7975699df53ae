// OpenTelemetry traces: a span for each request, with child spans for its stages and statements. Child spans are created
// when the request ends, from the times in its scope. The libraries are only loaded if an endpoint is configured.

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Observe } from '../events/events.ts';
import {
  NO_ROUTE,
  type RequestScope,
  type SentStatements,
  type Trace,
  type TraceStart,
} from '../request/request-scope.ts';
import { withTimeout } from '../request/timeout.ts';

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export interface TraceSettings {
  /** Where traces are sent, including the path. */
  readonly url: string;
  readonly serviceName: string | undefined;
  /** Further attributes of this server. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** Fraction of requests that is traced, from 0 to 1. */
  readonly ratio: number;
}

/** Bound of the export queue; spans take a few thousand bytes each, and further spans are dropped. */
const SPANS_MAX = 8_192;
const BATCH_SPANS = 512;
const BATCH_MS = 2_000;
/** Including a few retries. */
const EXPORT_MS = 4_000;
const CLOSE_MS = 2_000;
/** Statements of one request that get a span; batches and deletions can have thousands of statements. */
const STATEMENTS_MAX = 64;
const TEXT_MAX = 2_000;
/** An unavailable collector is reported at most once in this time. */
const REPORT_MS = 600_000;

const SERVICE = 'cartulary';

type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace');

interface Tracing {
  readonly api: Api;
  readonly tracer: Tracer;
  /** The parent span that a request names. */
  readonly parentOf: (headers: IncomingHttpHeaders, peer: string | undefined) => Context;
  readonly shutdown: () => Promise<void>;
}

export class Traces {
  readonly #tracing: Tracing;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** Undefined for a request that is not traced. */
  begin({ scope, method, route, scheme, headers, peer }: TraceStart): Trace | undefined {
    const { api, tracer, parentOf } = this.#tracing;
    const clock = Date.now() - performance.now();
    const parent = parentOf(headers, peer);
    const options = {
      kind: api.SpanKind.SERVER,
      startTime: momentOf(clock + scope.startedAt),
      attributes: {
        'http.request.method': method,
        'url.scheme': scheme,
        ...(route === NO_ROUTE ? {} : { 'http.route': route }),
      },
    };
    const span = tracer.startSpan(route === NO_ROUTE ? method : `${method} ${route}`, options, parent);
    if (!span.isRecording()) return undefined;
    return new RequestTrace({ api, tracer, span, clock, parent });
  }

  /** Sends the remaining spans, within CLOSE_MS. */
  async close(): Promise<void> {
    await withTimeout(
      CLOSE_MS,
      this.#tracing.shutdown().catch(() => undefined),
    );
  }
}

interface RequestSpan {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly span: Span;
  /** Added to `performance.now()` it gives milliseconds since 1970. */
  readonly clock: number;
  readonly parent: Context;
}

class RequestTrace implements Trace {
  readonly id: string;
  readonly #request: RequestSpan;
  readonly #sent: SentStatements[] = [];
  #statements = 0;

  constructor(request: RequestSpan) {
    this.#request = request;
    this.id = request.span.spanContext().traceId;
  }

  addStatements(sent: SentStatements): void {
    if (this.#statements < STATEMENTS_MAX) this.#sent.push(sent);
    this.#statements += sent.statements.length;
  }

  end(scope: RequestScope, status: number): void {
    const { api, span, clock } = this.#request;
    for (const { stage, from, to } of scope.stages) this.#part(stage, {}, { from, to });
    const now = performance.now();
    const all = this.#sent.flatMap(({ statements, from, to = now }) =>
      statements.map(({ text }) => ({ text, from, to })),
    );
    for (const { text, from, to } of all.slice(0, STATEMENTS_MAX)) {
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, TEXT_MAX) };
      this.#part(`db ${verbOf(text)}`, attributes, { from, to });
    }
    const { id, applicationId, problem, statements } = scope;
    span.setAttribute('http.response.status_code', status);
    span.setAttribute('cartulary.request_id', id);
    span.setAttribute('cartulary.statements', statements);
    if (applicationId !== undefined) span.setAttribute('cartulary.application_id', applicationId);
    if (problem !== undefined) span.setAttribute('error.type', problem.code);
    if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end(momentOf(clock + performance.now()));
  }

  #part(name: string, attributes: Record<string, string>, { from, to }: { from: number; to: number }): void {
    const { api, tracer, span, clock, parent } = this.#request;
    const options = { attributes, startTime: momentOf(clock + from) };
    tracer.startSpan(name, options, api.trace.setSpan(parent, span)).end(momentOf(clock + to));
  }
}

const verbOf = (text: string): string => /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';

/** Seconds and nanoseconds: in this form the library does not round, so that the times within a trace are consistent. */
function momentOf(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

export interface TraceOpening extends TraceSettings {
  /** Only these may decide with `traceparent` which requests are traced. */
  readonly trustedProxies: readonly string[];
}

export async function openTraces(settings: TraceOpening, version: string, observe: Observe): Promise<Traces> {
  const [api, core, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = reportingFailures(new OTLPTraceExporter({ url: settings.url, timeoutMillis: EXPORT_MS }), observe);
  const processor = new sdk.BatchSpanProcessor({
    exporter,
    maxQueueSize: SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: EXPORT_MS,
  });
  const isTrusted = trusting(settings.trustedProxies);
  const trusted = api.createContextKey('from a trusted proxy');
  const provider = new sdk.TracerProvider({
    sampler: samplerOf({ api, sdk, trusted }, settings),
    resource: resourceFromAttributes(attributesOf(settings, version)),
    spanProcessors: [processor],
  });
  const propagator = new core.W3CTraceContextPropagator();
  return new Traces({
    api,
    tracer: provider.getTracer('cartulary', version),
    parentOf: (headers, peer) => {
      const context = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
      return headers.traceparent !== undefined && isTrusted(peer) ? context.setValue(trusted, true) : context;
    },
    shutdown: () => provider.shutdown(),
  });
}

/** Attributes from the environment override our own. */
function attributesOf({ serviceName, attributes }: TraceSettings, version: string): Record<string, string> {
  return {
    'service.name': SERVICE,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    ...attributes,
    ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
  };
}

function trusting(proxies: readonly string[]): (peer: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of proxies) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (peer = '') => list.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4');
}

/**
 * An untrusted client may name the trace that its request belongs to, but may not decide whether it is kept: with the flag
 * of `traceparent`, or with a trace id that the ratio sampler accepts, it could have all its requests traced.
 */
function samplerOf({ api, sdk, trusted }: { api: Api; sdk: Sdk; trusted: symbol }, settings: TraceSettings): Sampler {
  const { root, chosen } = configuredSamplers(sdk, settings);
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const parent = api.trace.getSpanContext(context);
      const isUntrusted = parent?.isRemote === true && context.getValue(trusted) !== true;
      // Child spans of a traced request.
      if (parent !== undefined && parent.isRemote !== true)
        return { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED };
      if (!isUntrusted) return chosen.shouldSample(context, traceId, name, kind, attributes, links);
      const drawn = randomBytes(16).toString('hex');
      return root.shouldSample(api.ROOT_CONTEXT, drawn, name, kind, attributes, links);
    },
    toString: () => `${chosen}`,
  };
}

/** `root` decides for requests without a trusted parent. */
function configuredSamplers(sdk: Sdk, { sampler, ratio }: TraceSettings): { root: Sampler; chosen: Sampler } {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.replace('parentbased_', '')]!();
  return { root, chosen: sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root };
}

function reportingFailures(exporter: SpanExporter, observe: Observe): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - reportedAt > REPORT_MS) {
          reportedAt = performance.now();
          observe({ event: 'traces.unsent', error: result.error });
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
