// What the operator's interface replies with, as far as the console reads it.

import type { DefinitionChange } from '../../../src/wire/operator.ts';

export type { DefinitionChange };

export interface ApplicationSummary {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly organization: string;
  readonly plan: string;
}

/** One collection or column of a publish document; only what the console names. */
interface NamedPart {
  readonly id: string;
  readonly name: string;
}

export interface OperatedCollection extends NamedPart {
  readonly columns: readonly (NamedPart & { readonly type: string })[];
}

/** The publish document as it stands, as far as the console reads it. */
export interface PublishedDocument extends NamedPart {
  readonly organization: string;
  readonly timeZone: string;
  readonly plan: Plan;
  readonly sharedUsersModeEnabled: boolean;
  readonly teamsModeEnabled: boolean;
  readonly profiles: readonly string[];
  readonly teams: readonly string[];
  readonly collections: readonly OperatedCollection[];
}

export interface PublishReply {
  readonly application: NamedPart & { readonly version: number; readonly collections: readonly OperatedCollection[] };
  readonly changes: readonly DefinitionChange[];
}

export interface Publishing {
  readonly step: 'checking' | 'waiting' | 'filling' | 'indexing' | 'switching' | 'clearing' | 'undoing';
  readonly collectionName: string | null;
  readonly done: number;
  readonly total: number;
  readonly startedAt: string;
}

export const PLANS = ['basic', 'premium', 'enterprise', 'custom', 'unlimited'] as const;
export type Plan = (typeof PLANS)[number];

export interface QuotaUse {
  readonly group: string;
  readonly limit: number | null;
  readonly source: 'plan' | 'set' | null;
  readonly taken: number;
  readonly left: number | null;
}

export interface Quotas {
  readonly plan: Plan;
  readonly resetsAt: string;
  readonly groups: readonly (QuotaUse & { readonly inPlan: boolean })[];
}

export interface QuotasOverview {
  readonly resetsAt: string;
  readonly total: number;
  /** Applications whose counts cannot be read now. */
  readonly unavailable: number;
  readonly groups: readonly (QuotaUse & { readonly applicationId: string; readonly name: string })[];
}

export interface RequestCounts {
  readonly requests: number;
  /** With a status from 400 to 499. */
  readonly refused: number;
  /** With a status from 500. */
  readonly failed: number;
}

export interface ApplicationSize {
  readonly records: number;
  /** False: an estimate. */
  readonly recordsExact: boolean;
  /** Null if the database does not tell. */
  readonly databaseBytes: number | null;
  readonly attachments: number;
  readonly attachmentBytes: number;
  readonly measuredAt: string;
}

/** With the requests of the last 24 hours. */
export interface ApplicationUse extends RequestCounts {
  readonly applicationId: string;
  /** Null until it was measured. */
  readonly size: ApplicationSize | null;
}

export interface HourlyUse {
  readonly size: ApplicationSize;
  /** Those with requests, the oldest first. */
  readonly hours: readonly (RequestCounts & { readonly hour: string })[];
}

export interface PublishedVersion {
  readonly version: number;
  readonly publishedAt: string;
  /** Null if they were not recorded. */
  readonly changes: readonly DefinitionChange[] | null;
}
