// The parameters of a statement while it is being put together. Nothing that a caller sent gets into a statement in any
// other way.

type Parameter = string | number | boolean | null;

export class Params {
  readonly values: Parameter[] = [];
  readonly #places = new Map<string, string>();

  /** What is the same stands once: a search of many terms over many columns would pass the 65,535 that can be sent. */
  add(value: Parameter, type: string): string {
    const key = `${type} ${typeof value} ${value}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      this.values.push(value);
      place = `$${this.values.length}::${type}`;
      this.#places.set(key, place);
    }
    return place;
  }

  text(value: string): string {
    return this.add(value, 'text');
  }
}
