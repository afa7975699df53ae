// What a route gives back; http/bind puts it on the wire.

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
}

export const answerJson = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });

export const answerText = (body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers,
  body,
});

export const NO_CONTENT: Answer = { status: 204 };

export const NOT_MODIFIED = (headers: Readonly<Record<string, string>>): Answer => ({ status: 304, headers });
