import type { CheckSession } from "./session.ts";

/** `interface`: the documented interface and what clients of the interface rely on. `duba`: Duba's further promises. */
export const parts = ["interface", "duba"] as const;
export type PartName = (typeof parts)[number];

/** The inputs that a point can need besides the address, each with the reason to skip the point without that input. */
export const needs = {
  key: "It needs an API key.",
  verification: "It verifies a person.",
  other_key: "It needs the API key of another account: --other-key.",
  sandbox: "It verifies invented people of the sandbox.",
} as const;
export type Need = keyof typeof needs;

/** A requirement on a server: one sentence that is true or false. */
export interface Point {
  /** Subject and name: `lookupDataBundles.members`. */
  id: string;
  part: PartName;
  sentence: string;
  needs: readonly Need[];
  /** Asks the server. Gives a sentence for each thing that is wrong; none if the point holds. */
  check: (session: CheckSession) => Promise<readonly string[]>;
}
