import manifest from "../../package.json" with { type: "json" };
import type { Log } from "./log.ts";

/** The newest security release of Node that this version knows. */
const secure = manifest.engines.node.replace(">=", "");

/** A version in a form that sorts as text. `localeCompare` would load 3 MiB of ICU into each process. */
const sortable = (version: string) => version.replace(/\d+/g, (number) => number.padStart(4, "0"));

/**
 * Says in a sentence which risk the running version of Node has. Undefined: it has every fix that this version of Duba
 * knows.
 */
export function nodeRisk(): string | undefined {
  const { node } = process.versions;
  if (sortable(node) >= sortable(secure)) return undefined;
  return `Node ${node}, which runs this, has published security holes. Install Node ${secure} or newer, and restart Duba with it.`;
}

export function warnOfNode(log: Pick<Log, "warn">): void {
  const risk = nodeRisk();
  if (risk !== undefined) log.warn({ node: process.versions.node }, risk);
}
