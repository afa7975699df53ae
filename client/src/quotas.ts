// What replies tell about the application's quotas (the RateLimit headers).

/** A group of operations that share an hourly limit, as the last reply had it. */
export interface Quota {
  readonly group: string;
  /** Requests in an hour. */
  readonly limit: number;
  /** What was left after that reply. */
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** `"records-read";q=8000;w=3600` and `"records-read";r=7999;t=1234` */
export function noteQuota(quotas: Map<string, Quota>, headers: Headers): void {
  const policy = /^"([\w-]+)";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '');
  const state = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '');
  if (policy === null || state === null) return;
  const [group = '', limit] = policy.slice(1);
  const [remaining, seconds] = state.slice(1).map(Number);
  if (remaining === undefined || seconds === undefined) return;
  quotas.set(group, { group, limit: Number(limit), remaining, resetsAt: new Date(Date.now() + seconds * 1000) });
}
