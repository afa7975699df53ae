// OpenTelemetry traces: a span for each request, and below it one for each stage of the road and each statement. They
// are made when the request has ended, from the times that it has kept; without an endpoint nothing of this is loaded.

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Observe } from '../observe/events.ts';
import type { RequestScope, SentStatements, Trace, TraceStart } from '../request/request-scope.ts';
import { withTimeout } from '../request/timeout.ts';

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

export interface TraceSettings {
  /** Where traces are sent, the path included. */
  readonly url: string;
  readonly serviceName: string | undefined;
  /** What else is told of this server. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The part of the traces that is taken, from 0 to 1. */
  readonly ratio: number;
}

/** What waits to be sent, a few thousand bytes each. Behind it spans are dropped. */
const SPANS_MAX = 8_192;
const BATCH_SPANS = 512;
const BATCH_MS = 2_000;
/** With a few attempts in it. */
const EXPORT_MS = 4_000;
const CLOSE_MS = 2_000;
/** Statements with spans of their own, of one request; batches and deletions can have thousands. */
const STATEMENTS_MAX = 64;
const TEXT_MAX = 2_000;
/** A collector that is away is told of at most so often. */
const TOLD_MS = 600_000;

const SERVICE = 'cartulary';

type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace');

interface Parts {
  readonly api: Api;
  readonly tracer: Tracer;
  /** What a request says that it is a part of. */
  readonly parentOf: (headers: IncomingHttpHeaders, peer: string | undefined) => Context;
  readonly shutdown: () => Promise<void>;
}

export class Traces {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined for a request that is not to be traced. */
  begin({ scope, method, route, scheme, headers, peer }: TraceStart): Trace | undefined {
    const { api, tracer, parentOf } = this.#parts;
    const clock = Date.now() - performance.now();
    const parent = parentOf(headers, peer);
    const options = {
      kind: api.SpanKind.SERVER,
      startTime: momentOf(clock + scope.startedAt),
      attributes: {
        'http.request.method': method,
        'url.scheme': scheme,
        ...(route === '' ? {} : { 'http.route': route }),
      },
    };
    const span = tracer.startSpan(route === '' ? method : `${method} ${route}`, options, parent);
    if (!span.isRecording()) return undefined;
    return new RequestTrace({ api, tracer, span, clock, parent });
  }

  /** Sends what is left, if that can be done soon. */
  async close(): Promise<void> {
    await withTimeout(
      CLOSE_MS,
      this.#parts.shutdown().catch(() => undefined),
    );
  }
}

interface Means {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly span: Span;
  /** What makes a moment of `performance.now()` one since 1970. */
  readonly clock: number;
  readonly parent: Context;
}

class RequestTrace implements Trace {
  readonly id: string;
  readonly #means: Means;
  readonly #asked: SentStatements[] = [];
  #statements = 0;

  constructor(means: Means) {
    this.#means = means;
    this.id = means.span.spanContext().traceId;
  }

  addStatements(asked: SentStatements): void {
    if (this.#statements < STATEMENTS_MAX) this.#asked.push(asked);
    this.#statements += asked.statements.length;
  }

  end(scope: RequestScope, status: number): void {
    const { api, span, clock } = this.#means;
    for (const { stage, from, to } of scope.stages) this.#part(stage, {}, { from, to });
    const now = performance.now();
    const all = this.#asked.flatMap(({ statements, from, to = now }) =>
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
    const { api, tracer, span, clock, parent } = this.#means;
    const options = { attributes, startTime: momentOf(clock + from) };
    tracer.startSpan(name, options, api.trace.setSpan(parent, span)).end(momentOf(clock + to));
  }
}

const verbOf = (text: string): string => /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';

/** Seconds and nanoseconds: given as such the moments of one trace fit together, without the library's own rounding. */
function momentOf(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** Besides the settings of traces: from whom it is believed which requests are to be traced. */
export interface TraceOpening extends TraceSettings {
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
  const exporter = rarelyTelling(new OTLPTraceExporter({ url: settings.url, timeoutMillis: EXPORT_MS }), observe);
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

/** What the environment says of the server goes before what we know by ourselves. */
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
 * Strangers may say which trace they are a part of, but not whether it is kept: with the flag of `traceparent`, or with a
 * trace chosen so that the ratio takes it, they could have all of theirs kept.
 */
function samplerOf({ api, sdk, trusted }: { api: Api; sdk: Sdk; trusted: symbol }, settings: TraceSettings): Sampler {
  const { root, chosen } = configuredSamplers(sdk, settings);
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const parent = api.trace.getSpanContext(context);
      const isStrangers = parent?.isRemote === true && context.getValue(trusted) !== true;
      // The parts of a request are kept with it.
      if (parent !== undefined && parent.isRemote !== true)
        return { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED };
      if (!isStrangers) return chosen.shouldSample(context, traceId, name, kind, attributes, links);
      const drawn = randomBytes(16).toString('hex');
      return root.shouldSample(api.ROOT_CONTEXT, drawn, name, kind, attributes, links);
    },
    toString: () => `${chosen}`,
  };
}

/** `root` decides where nobody else has. */
function configuredSamplers(sdk: Sdk, { sampler, ratio }: TraceSettings): { root: Sampler; chosen: Sampler } {
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.replace('parentbased_', '')]!();
  return { root, chosen: sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root };
}

function rarelyTelling(exporter: SpanExporter, observe: Observe): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - toldAt > TOLD_MS) {
          toldAt = performance.now();
          observe({ event: 'traces.unsent', error: result.error });
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
