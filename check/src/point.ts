import type { CheckSession } from "./session.ts";

/**
 * `interface`: what the documented interface says, and what its clients rely on. `duba`: what Duba promises beyond it.
 */
export const parts = ["interface", "duba"] as const;
export type PartName = (typeof parts)[number];

/** What a point needs beside the address, and why it is left out without it. */
export const needs = {
  key: "It needs an API key.",
  verification: "It verifies a person.",
  other_key: "It needs the API key of another account: --other-key.",
  sandbox: "It verifies invented people of the sandbox.",
} as const;
export type Need = keyof typeof needs;

/** What a server must do: one sentence that holds or does not. */
export interface Point {
  /** Subject and name: `lookupDataBundles.members`. */
  id: string;
  part: PartName;
  sentence: string;
  needs: readonly Need[];
  /** Asks the server. Gives a sentence for each thing that is wrong; none if the point holds. */
  check: (session: CheckSession) => Promise<readonly string[]>;
}
