import { createHash } from "node:crypto";
import type { LiveSource } from "../upstreams/catalogue-live.ts";
import type { Pulled } from "../upstreams/catalogue-source.ts";
import type { ReadList } from "./files/csv.ts";
import { readEntry } from "./files/entry.ts";
import type { ListName } from "./lists.ts";
import { pacer } from "./pace.ts";
import { fitting } from "./pull-fit.ts";
import { endPull, isHeld, type PullRecord } from "./pull-record.ts";
import { reject } from "./revisions/decide.ts";
import { difference, type EntryFault, ListFault, type WantedEntry } from "./revisions/difference.ts";
import { CatalogueFault } from "./revisions/fault.ts";
import { type Outcome, type Plan, publish } from "./revisions/publish.ts";
import type { Publisher } from "./revisions/settle.ts";

/** Sentences that are kept of one pull. */
const KEPT = 20;

/** A source that lists follow, as far as a pull needs it. */
export type PulledSource = Pick<LiveSource, "name" | "covers" | "pull">;

/** What a source has, as lists of the catalogue. */
export interface Offer {
  readonly lists: readonly ReadList[];
  /** What the source has and the lists cannot hold, in sentences. */
  readonly leftOut: readonly string[];
}

/** Asks a source for all that it covers, and changes nothing. */
export async function offerOf(
  { covers, pull }: PulledSource,
  signal: AbortSignal,
): Promise<Offer | Exclude<Pulled, { kind: "whole" }>> {
  const pulled = await pull(signal);
  if (pulled.kind !== "whole") return pulled;
  const lists: ReadList[] = [];
  for (const list of covers) {
    const given = pulled.lists[list];
    if (!given) return { kind: "incomplete", sentence: `It gave no ${list}.` };
    lists.push(await readList(list, given));
  }
  return { lists, leftOut: pulled.leftOut };
}

/** Look-ups are answered meanwhile. */
async function readList(list: ListName, given: readonly object[]): Promise<ReadList> {
  const pause = pacer();
  const entries: WantedEntry[] = [];
  const faults: EntryFault[] = [];
  for (const [at, members] of given.entries()) {
    const place = `entry ${at + 1}`;
    const content = readEntry(list, { ...members }, (sentence) => faults.push({ list, place, sentence }));
    if (content) entries.push({ content, place });
    await pause();
  }
  return { list, entries, faults };
}

/** The plan that makes the covered lists what the source has, or throws a `ListFault`. */
export function planOf({ lists }: Offer): Plan {
  const faults = lists.flatMap((list) => list.faults);
  return (base) => difference(base, fitting(base, lists).lists, faults);
}

/** Publishes what a source sent: a formula in it needs approval, since somebody opens the catalogue in a spreadsheet one day. */
export function holdingFormulas(publisher: Publisher): Publisher {
  return { ...publisher, guard: { ...publisher.guard, holdFormulas: true } };
}

/** What becomes of a pull, and by whom. */
export interface PullOptions {
  author: string;
  /** True: what the source had the last time is compared with the catalogue again, and takes the place of changes since. */
  again: boolean;
  signal: AbortSignal;
}

/** What a pull came to, with the outcome of what was published or held, if anything was to be. */
export interface PullEnd {
  readonly record: PullRecord;
  readonly outcome?: Outcome;
}

/**
 * Goes on with a pull that was begun: all that the source covers becomes one revision, is held for approval, or changes
 * nothing. What was held of this source before is rejected when the source has something else. Rejects with a fault of our
 * own, such as a store that is away.
 */
export async function pullFrom(
  publisher: Publisher,
  source: PulledSource,
  begun: PullRecord,
  { author, again, signal }: PullOptions,
): Promise<PullEnd> {
  const { db, now } = publisher;
  const end = async (facts: Partial<PullRecord>, outcome?: Outcome): Promise<PullEnd> => {
    const { sentences = [] } = facts;
    const record = { ...begun, ...facts, endedAt: now(), sentences: shortened(sentences) };
    await endPull(db, record);
    return { record, ...(outcome && { outcome }) };
  };
  try {
    const offer = await offerOf(source, signal);
    if ("kind" in offer) return await end({ result: offer.kind, sentences: [offer.sentence] });
    const content = await hashOf(offer);
    const known = !again && content === begun.content;
    if (known && (await isHeld(db, begun.draft)))
      return await end({ result: "held", sentences: await leftOutOf(publisher, offer) });
    const outcome = known
      ? undefined
      : await publish(holdingFormulas(publisher), planOf(offer), { author, source: source.name, note: "" });
    const draft = outcome?.state === "held" ? outcome.draft : null;
    if (outcome) await supersede(publisher, begun.draft);
    const facts = { content, draft, sentences: await leftOutOf(publisher, offer) };
    if (draft !== null) return await end({ ...facts, result: "held" }, outcome);
    const result = outcome?.state === "published" ? "published" : "unchanged";
    return await end({ ...facts, result, succeededAt: begun.begunAt }, outcome);
  } catch (error) {
    if (error instanceof ListFault) return await end({ result: "refused", sentences: error.sentences });
    await end({ result: "failed" }).catch(() => undefined);
    throw error;
  }
}

/** What the source has and the catalogue does not take, in sentences. */
export async function leftOutOf({ latest }: Publisher, { lists, leftOut }: Offer): Promise<string[]> {
  return [...leftOut, ...fitting(await latest(), lists).leftOut];
}

/** What is held of an earlier pull must not be approved after a newer one. */
async function supersede(publisher: Publisher, draft: number | null): Promise<void> {
  if (!(await isHeld(publisher.db, draft))) return;
  await reject(publisher, draft!, "duba").catch((error: unknown) => {
    // Decided in between.
    if (!(error instanceof CatalogueFault)) throw error;
  });
}

/** Alike for what would be alike in the catalogue, or could not be in one. */
async function hashOf({ lists }: Offer): Promise<string> {
  const pause = pacer();
  const hash = createHash("sha256");
  for (const { list, entries, faults } of lists) {
    hash.update(`${list} ${faults.length}\n`);
    for (const { content } of entries) {
      hash.update(`${JSON.stringify(content)}\n`);
      await pause();
    }
  }
  return hash.digest("base64url");
}

function shortened(sentences: readonly string[]): string[] {
  const rest = sentences.length - KEPT;
  return rest > 0 ? [...sentences.slice(0, KEPT), `And ${rest} more of this kind.`] : [...sentences];
}
