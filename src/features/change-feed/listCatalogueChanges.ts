import type { Catalogue } from "../../catalogue/catalogue.ts";
import { oldestOf } from "../../catalogue/responses/freshness.ts";
import { CatalogueChangeAnswer } from "../../catalogue/responses/shapes.ts";
import { feedInput, limitOf } from "../../declare/answers/feed.ts";
import { type Answered, operation } from "../../declare/operation.ts";
import { listChanges } from "./change-feed.ts";

const example = (
  change: CatalogueChangeAnswer["data"][number],
  next: string,
  more: boolean,
): CatalogueChangeAnswer => ({
  success: true,
  status: "success",
  message: "Catalogue changes found",
  data: [change],
  scheduled: [],
  next,
  more,
});

const added = {
  revision: 1,
  list: "data-providers",
  change: "added",
  holds_from: "2026-01-31T09:30:00.000Z",
  old: null,
  new: { type: "MTNDATA", id: 1, name: "MTN", narration: "MTN Data", image: "" },
} as const;

const bundle = { type: "MTNDATA", code: "104", description: "50MB 24Hrs" };
const size = { value: "50MB", duration: "24Hrs" };

const dearer = {
  revision: 7,
  list: "data-bundles",
  change: "modified",
  holds_from: "2026-02-28T23:00:00.000Z",
  old: { ...bundle, amount: "100", price: "100", ...size },
  new: { ...bundle, amount: "110", price: "110", ...size },
} as const;

export const listCatalogueChanges = operation({
  id: "listCatalogueChanges",
  method: "GET",
  path: "/api/v2/catalogue/changes",
  summary: "Changes of the catalogue",
  description:
    "Lists what was added, modified and removed in the catalogue, so that a copy of it stays up to date without " +
    "fetching every list again. Begin without `after`: nothing is listed, and `next` is where you stand. " +
    "Then fetch the lists, and from then on ask with the last `next`. `after=0` lists everything from the first " +
    "revision on. Prices are the ones that you pay, by the margins that hold for you now. " +
    "Without a credential you see the lists that need none. The order of a list is not told here. " +
    "`scheduled` shows callers with a credential what is planned; when its time comes it is listed like any other " +
    "change, with what it then changes. A cursor of another history, as after a restore of this service, " +
    "is refused: begin anew. Where lists follow a source, the answer says how old they are, " +
    "in the headers of their own answers.",
  group: "Data",
  access: "anonymous",
  scope: "catalogue:read",
  limit: "catalogue",
  carriage: "query",
  input: feedInput("changes", { cursor: "\\d{1,9}(\\.\\d{1,9})?-[0-9a-f]{10}", example: "0" }),
  answer: CatalogueChangeAnswer,
  failurePayload: () => ({ data: [] }),
  examples: [
    {
      summary: "The first change of all, for a caller with a credential",
      input: { after: "0", limit: "1" },
      answer: example(added, "1.1-9f2c61b0a7", true),
    },
    { summary: "A price that rose", input: { after: "6-9f2c61b0a7" }, answer: example(dearer, "7-9f2c61b0a7", false) },
  ],
  run: async ({ input, caller }, { db, responses, freshness }: Catalogue): Promise<Answered<CatalogueChangeAnswer>> => {
    const asked = { after: input.after, limit: limitOf(input) };
    const found = await listChanges(db, responses.snapshot, asked, caller?.accountId);
    const message = found.data.length === 0 ? "No catalogue changes" : "Catalogue changes found";
    return {
      answer: { success: true, status: "success", message, ...found },
      headers: oldestOf(freshness)?.record() ?? {},
    };
  },
});
