// A small seeded random generator: the demonstration is the same on every machine, so that readers of the documentation
// find the records that it mentions.

export interface Dice {
  /** From `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** `count` different items in random order; all items if there are fewer. */
  some<Item>(items: readonly Item[], count: number): Item[];
}

/** mulberry32: 32 bits of state are plenty for a few thousand throws. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
  const some = <Item>(items: readonly Item[], count: number): Item[] => {
    const left = [...items];
    const taken: Item[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(whole(0, left.length - 1), 1));
    return taken;
  };
  return {
    whole,
    some,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[whole(0, items.length - 1)]!,
  };
}
