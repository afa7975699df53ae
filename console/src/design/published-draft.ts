// A design of what is published, which the operator's interface gives.

import type { PublishDocument } from '../../../src/wire/publish-document.ts';
import type { ApplicationSummary } from '../api/operated-shapes.ts';
import { askOperator } from '../api/operator.ts';
import { designOf, newKey } from './design.ts';
import { type KeptDraft, keepDraft } from './drafts.ts';

type Published = Pick<ApplicationSummary, 'id' | 'version'>;

export async function publishedDraft({ id, version }: Published): Promise<KeptDraft> {
  const document = (await askOperator(`/applications/${encodeURIComponent(id)}`)) as PublishDocument;
  return { design: designOf(document), version };
}

/** Begins a design from a page of the operator; returns under which key it is kept. */
export async function beginFromPublished(published: Published): Promise<string> {
  const draft = newKey();
  keepDraft(draft, await publishedDraft(published));
  return draft;
}
