import { futureTime, remark } from "../../declare/command/forms.ts";
import { flag, formed } from "../../declare/command/read-texts.ts";
import Type from "../../declare/schema/type.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import type { Guard } from "../guard/guard.ts";
import type { SeenDraft } from "../revisions/draft.ts";
import type { Publisher } from "../revisions/expected.ts";
import { latestSnapshot } from "../revisions/load.ts";

/** The resources of the commands about the catalogue. */
export interface CatalogueRoom extends Audited, WithClock {
  config: { readonly guard: Guard };
}

/** Everything that publishing needs. Another process may serve the store meanwhile. */
export function roomPublisher({ db, audit, actor, now, config }: CatalogueRoom): Publisher {
  return { db, audit, actor, now, guard: config.guard, latest: () => latestSnapshot(db) };
}

export const note = Type.Optional(
  formed(remark, { description: "Reason of the change, for the history.", placeholder: "text" }),
);

export const holdsFrom = Type.Optional(
  formed(futureTime, { description: "Publish at this time, not at once.", placeholder: "time" }),
);

export const dryRun = flag("Show the changes, prices first, and publish nothing.");

/** The number of a revision, as people write it. */
export const revisionForm = {
  form: "a number such as 7, which `duba catalogue history` lists",
  read: (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};

/** The name of a draft, in the form of `draftName`. */
export const draftForm = {
  form: "a draft such as d7, which `duba catalogue history` lists",
  read: (text: string): SeenDraft | undefined => {
    const [, id, version = 1] = /^d([1-9]\d{0,8})(?:\.([1-9]\d{0,5}))?$/i.exec(text) ?? [];
    return id === undefined ? undefined : { id: Number(id), version: Number(version) };
  },
};
