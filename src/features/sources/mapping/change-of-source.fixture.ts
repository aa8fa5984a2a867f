import type { TestContext } from "node:test";
import type { Engine } from "../../../../test/support/engines.ts";
import { looseGuard, publishingStore } from "../../../catalogue/catalogue.fixture.ts";
import { type OpenCatalogue, openCatalogue } from "../../../catalogue/catalogue.ts";
import { inOrder } from "../../../catalogue/model/snapshot.ts";
import { approve } from "../../../catalogue/revisions/decide.ts";
import type { AuditEvent } from "../../../declare/audit-kind.ts";
import type { CatalogueLists } from "../../../lists/index.ts";
import { silent } from "../../../runtime/log.ts";
import { mapCommands } from "../commands/map-commands.ts";
import { followSources } from "../follow-sources.ts";
import type { SyncSource } from "../sync/offer.ts";
import { readSync } from "../sync/record.ts";

const start = Date.UTC(2026, 0, 31, 9, 30);
export const aboutTest = { author: "ops", source: "test", note: "" };
const signal = new AbortController().signal;

type Bundle = CatalogueLists["data-bundles"][number];

export const bundle = (code: string, description: string, price: number): Bundle => {
  const [value = "", duration = ""] = description.match(/\d+(?:GB|MB)|\d+ days?/g) ?? [];
  return { type: "MTNDATA", code, description, amount: String(price), price: String(price), value, duration };
};

/** One set of goods under the codes of two vendors. */
const sizes = Array.from({ length: 12 }, (_, n) => `${n + 1}GB`);
const goods = (name: (size: string) => string, words: string, add = 0) =>
  sizes.map((size, n) => bundle(name(size), `${words} ${size} 30 days`, 300 * (n + 1) + add));

/** Opens a service that follows the sources which the test sets. A restart on the same store follows another source. */
export async function openFollowing(t: TestContext, engine: Engine) {
  const store = await publishingStore(t, engine);
  const clock = { time: start };
  const audited: AuditEvent[] = [];
  const offers: Record<string, Bundle[]> = {
    vtpass: goods((size) => `mtn-${size}`.toLowerCase(), "MTN"),
    // Some codes are also codes of the other vendor, for other goods.
    ebills: goods((size) => (size === "1GB" ? "mtn-2gb" : `9${size}`), "MTN Data", 5),
  };
  const sourceOf = (name: string): SyncSource => ({
    name,
    covers: ["data-bundles"],
    pull: async () => ({ kind: "whole", lists: { "data-bundles": offers[name]! }, leftOut: [] }),
  });
  const restart = async (name: string) => {
    const catalogue = await openCatalogue({ db: store.db, now: () => clock.time, guard: looseGuard });
    const follow = { source: sourceOf(name), every: 60_000, staleAfter: 3_600_000, log: silent };
    return Object.assign(catalogue, { pull: await followSources(catalogue, [follow]) });
  };
  const audit = async (_: unknown, ...events: AuditEvent[]) => void audited.push(...events);
  const room = { ...store.publisher({ now: () => clock.time }), audit, actor: "operator:ada", config: {} };
  const run = <Result = { entries: number; left: number }>(id: string, input: Record<string, unknown>) =>
    mapCommands.find((command) => command.id === `catalogue.map.${id}`)!.run(input, room as never) as Promise<Result>;
  const at = { catalogue: await restart("vtpass") };
  const pull = async () => {
    clock.time += 120_000;
    await at.catalogue.pull(signal);
    await at.catalogue.refresh();
  };
  /** Pulls, and approves the change: a pull that empties something waits for approval. */
  const pullApproved = async (name: string) => {
    await pull();
    const { draft } = (await readSync(store.db, name))!;
    await approve(store.publisher({ now: () => clock.time }), draft!, "ops");
    await at.catalogue.refresh();
  };
  return { pullApproved, db: store.db, clock, offers, at, restart, pull, run, audited };
}

export const codesOf = ({ responses: { snapshot } }: OpenCatalogue) =>
  Array.from(inOrder(snapshot, "data-bundles"), ({ key }) => key).filter((key) => key.startsWith("MTNDATA"));
export const pricesOf = ({ responses: { snapshot } }: OpenCatalogue) =>
  Array.from(inOrder(snapshot, "data-bundles"), ({ key, content }) => [key, content.price] as const);
