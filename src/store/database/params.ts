// Collects the parameters of a statement while its text is built. Values from clients reach a statement in no other way.

type Parameter = string | number | boolean | null;

export interface IncludedPart {
  readonly text: string;
  readonly values: readonly Parameter[];
}

export class Params {
  readonly values: Parameter[] = [];
  /** By type and value. One map for both would need a new text as the key of every value: a third of the time. */
  readonly #placeholders = new Map<string, Map<Parameter, string>>();
  readonly #hidesPatterns: boolean;

  /** `hidesPatterns`: the planner does not see the patterns, so one plan serves them all. */
  constructor({ hidesPatterns = false } = {}) {
    this.#hidesPatterns = hidesPatterns;
  }

  /** Equal values share a placeholder: a search of many terms over many columns would exceed the limit of 65,535. */
  add(value: Parameter, type: string): string {
    let ofType = this.#placeholders.get(type);
    if (ofType === undefined) {
      ofType = new Map();
      this.#placeholders.set(type, ofType);
    }
    let placeholder = ofType.get(value);
    if (placeholder === undefined) {
      this.values.push(value);
      placeholder = `$${this.values.length}::${type}`;
      ofType.set(value, placeholder);
    }
    return placeholder;
  }

  text(value: string): string {
    return this.add(value, 'text');
  }

  /** Takes over a part of the statement that was made with parameters of its own. */
  include({ text, values }: IncludedPart): string {
    const before = this.values.length;
    for (const value of values) this.values.push(value);
    return before === 0 ? text : text.replace(/\$(\d+)::/g, (_, n: string) => `$${Number(n) + before}::`);
  }

  /** For `like`. The planner compares a pattern that it sees with all texts that it has statistics of. */
  pattern(value: string): string {
    return this.#hidesPatterns ? `(select ${this.text(value)})` : this.text(value);
  }
}
