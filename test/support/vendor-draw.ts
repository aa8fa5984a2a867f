import { hash } from "node:crypto";

/** Draws a whole number from 0 to `below` - 1. The same seed and trait always give the same number. */
export function draw(seed: string, trait: string, below: number): number {
  return Number.parseInt(hash("sha256", `${seed} ${trait}`).slice(0, 12), 16) % below;
}

/** Draws one of the names by weight. */
export function drawWeighted<Name extends string>(
  seed: string,
  trait: string,
  weights: Readonly<Partial<Record<Name, number>>>,
): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = draw(
    seed,
    trait,
    entries.reduce((sum, [, weight]) => sum + weight, 0),
  );
  for (const [name, weight] of entries) {
    if (left < weight) return name;
    left -= weight;
  }
  throw new RangeError("the weights must be whole numbers, one of them above 0");
}
