import { type Count, counts } from "./verification-sums.ts";

/** The counts of a sum in which nothing happened. */
export const noCounts = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>;
