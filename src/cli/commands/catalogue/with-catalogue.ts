import { Option } from "commander";
import type { Snapshot } from "../../../catalogue/model/snapshot.ts";
import type { Publisher } from "../../../catalogue/revisions/commit.ts";
import { newestSnapshot } from "../../../catalogue/revisions/load.ts";
import { readConfig } from "../../../config/read-config.ts";
import type { Audited } from "../../../storage/audited.ts";
import { type Io, UsageFault } from "../../terminal/io.ts";
import { withStore } from "../../with-store.ts";

/** Options of each command that changes the catalogue. */
export interface ChangeOptions {
  author?: string;
  note?: string;
  data?: string;
  json?: true;
}

/** Opens the store beside a process that may be serving it, with all that publishing needs. */
export function withCatalogue<Result>(
  io: Io,
  { data, author }: { data?: string | undefined; author?: string | undefined },
  use: (publisher: Publisher) => Promise<Result>,
): Promise<Result> {
  const { guardRemoval: removal, guardPriceFactor: priceFactor } = readConfig(io.environment);
  const publish = (store: Audited) => {
    let known: Snapshot | undefined;
    const latest = async () => {
      known = await newestSnapshot(store.db, known);
      return known;
    };
    return use({ ...store, now: Date.now, guard: { removal, priceFactor }, latest });
  };
  return withStore(io, data, publish, { author });
}

export function authorOption(): Option {
  return new Option("--author <name>", "Your name in the history and the audit trail. Default: your user name.");
}

export function noteOption(): Option {
  return new Option("--note <text>", "Reason of the change, for the history.");
}

/** The number of a revision as people write it: 7. */
export function revisionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageFault("A revision is a number such as 7. `duba catalogue history` lists all revisions.");
  return Number(text);
}

/** The number of a draft as people write it: d7. */
export function draftNumber(text: string): number {
  if (!/^d[1-9]\d{0,8}$/i.test(text))
    throw new UsageFault("A draft has a name such as d7. `duba catalogue history` lists the drafts that wait.");
  return Number(text.slice(1));
}
