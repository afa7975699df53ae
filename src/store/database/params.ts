// Collects the parameters of a statement while its text is built. Values from clients reach a statement in no other way.

type Parameter = string | number | boolean | null;

export class Params {
  readonly values: Parameter[] = [];
  readonly #placeholders = new Map<string, string>();

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
}
