// Collects the parameters of a statement while its text is built. Values from clients reach a statement in no other way.

type Parameter = string | number | boolean | null;

export class Params {
  readonly values: Parameter[] = [];
  readonly #placeholders = new Map<string, string>();
  readonly #hidesPatterns: boolean;

  /** `hidesPatterns`: the planner does not see the patterns, so one plan serves them all. */
  constructor({ hidesPatterns = false } = {}) {
    this.#hidesPatterns = hidesPatterns;
  }

  /** Equal values share a placeholder: a search of many terms over many columns would exceed the limit of 65,535. */
  add(value: Parameter, type: string): string {
    const key = `${type} ${typeof value} ${value}`;
    let placeholder = this.#placeholders.get(key);
    if (placeholder === undefined) {
      this.values.push(value);
      placeholder = `$${this.values.length}::${type}`;
      this.#placeholders.set(key, placeholder);
    }
    return placeholder;
  }

  text(value: string): string {
    return this.add(value, 'text');
  }

  /** For `like`. The planner compares a pattern that it sees with all texts that it has statistics of. */
  pattern(value: string): string {
    return this.#hidesPatterns ? `(select ${this.text(value)})` : this.text(value);
  }
}
