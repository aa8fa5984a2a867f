import { recorded } from "../src/access/access.fixture.ts";
import { createAccount } from "../src/access/accounts/accounts.ts";
import { createKey } from "../src/access/keys/keys.ts";
import { publisherOf } from "../src/catalogue/catalogue.fixture.ts";
import { type WantedList, withLists } from "../src/catalogue/document/wanted-lists.ts";
import { inOrder, withEntries } from "../src/catalogue/model/snapshot.ts";
import { settingRule } from "../src/catalogue/revisions/price-rules.ts";
import { publish } from "../src/catalogue/revisions/publish.ts";
import type { Plan } from "../src/catalogue/revisions/review.ts";
import { openStore } from "../src/storage/store.ts";
import { engines } from "../test/support/engines.ts";
import { mebibytes, median, milliseconds, table } from "./figures.ts";
import { load } from "./load.ts";
import { type Service, startService } from "./servers.ts";

const sizes = [100, 3_000, 19_500];
const providers = 200;
const accounts = 50;
/** Bundles of the provider that is asked for: as many in every catalogue, so that its answer has as many bytes. */
const asked = { path: "/api/v2/internet/data/lookup?provider=ASKED", bundles: 10 };
const rounds = 5;
const seconds = 1;
const about = { author: "bench", source: "bench", note: "" };

/** How the cost of a catalogue grows with its bundles, and with price lists of accounts' own. */
export async function catalogue(): Promise<void> {
  console.log(`
Growth of the catalogue: ${providers} providers, SQLite
  Look-ups of ${asked.bundles} bundles by ${accounts} accounts over 64 connections, ${rounds} rounds of ${seconds} s in turn, medians; pauses of the serving event loop
`);
  await using owner = new AsyncDisposableStack();
  const grown: Grown[] = [];
  for (const size of sizes) grown.push(await Grown.start(owner, size, false));
  grown.push(await Grown.start(owner, 10_000, true));
  for (let round = 0; round <= rounds; round += 1)
    for (const one of grown) {
      const { rate } = await load(one.service.duba.url + asked.path, seconds, one.keys);
      // The first round warms up.
      if (round > 0) one.rates.push(rate);
    }
  const rows = [
    ["bundles", "look-ups/s", "to the first", "import", "one price", "pause", "all prices", "pause", "memory"],
  ];
  for (const one of grown) rows.push(await one.figures(median(grown[0]!.rates)));
  console.log(table(rows));
  console.log("\n  Aims: look-ups within 10 % of the first row, no pause over 20 ms.");
}

/** A service on a catalogue of so many bundles. */
class Grown {
  readonly service: Service;
  readonly rates: number[] = [];
  /** With these the look-ups are made: one of each account. */
  readonly keys: string[];
  readonly #size: number;
  /** Whether each account has prices of its own. */
  readonly #hasLists: boolean;
  readonly #importing: number;

  private constructor(service: Service, size: number, hasLists: boolean, importing: number, keys: string[]) {
    this.service = service;
    this.#size = size;
    this.#hasLists = hasLists;
    this.#importing = importing;
    this.keys = keys;
  }

  static async start(owner: AsyncDisposableStack, size: number, hasLists: boolean): Promise<Grown> {
    const fresh = await engines[0]!.fresh();
    const { db, close } = await openStore({ ...fresh.settings, serving: false });
    const begun = performance.now();
    await publish(publisherOf(db), (base) => withLists(base, wanted(size)), about);
    const importing = performance.now() - begun;
    const keys: string[] = [];
    for (let n = 1; n <= accounts; n += 1) {
      const { id, email } = await createAccount(recorded(db), { name: `List ${n}`, email: `list${n}@example.com` });
      const rule = { account: id, of: "ASKED", rule: "margin", value: n } as const;
      if (hasLists) await publish(publisherOf(db), settingRule(rule), about);
      keys.push((await createKey(recorded(db), { account: email, mode: "test", label: "bench" })).text);
    }
    await close();
    return new Grown(owner.use(await startService(fresh)), size, hasLists, importing, keys);
  }

  async figures(firstRate: number): Promise<string[]> {
    const one = await this.#published(1);
    const all = await this.#published(this.#size);
    const rate = median(this.rates);
    return [
      `${this.#size}${this.#hasLists ? `, ${accounts} price lists` : ""}`,
      rate.toFixed(0),
      (rate / firstRate).toFixed(2),
      milliseconds(this.#importing),
      milliseconds(one.publishing),
      milliseconds(one.pause),
      milliseconds(all.publishing),
      milliseconds(all.pause),
      mebibytes(await this.service.duba.memory()),
    ];
  }

  /** Milliseconds that a change of so many prices takes to publish, and the longest pause while it is taken over. */
  async #published(bundles: number): Promise<{ publishing: number; pause: number }> {
    const { store, duba, client } = this.service;
    const { db, close } = await openStore({ ...store, serving: false });
    try {
      const publisher = publisherOf(db);
      const revision = (await publisher.latest()).revision + 1;
      await duba.pause();
      const begun = performance.now();
      await publish(publisher, dearer(bundles), about);
      const publishing = performance.now() - begun;
      while (revisionOf((await client.get(asked.path)).rawHeaders) < revision);
      return { publishing, pause: await duba.pause() };
    } finally {
      await close();
    }
  }
}

function wanted(size: number): WantedList[] {
  const types = ["ASKED", ...Array.from({ length: providers - 1 }, (_, n) => `PROVIDER${n}`)];
  const typeOf = (n: number) => (n < asked.bundles ? "ASKED" : types[1 + (n % (providers - 1))]!);
  const provider = { name: "Provider", narration: "Provider Data", image: "" };
  const bundle = { description: "1GB 30 Days", amount: 100_000, price: 100_000, value: "1GB", duration: "30 Days" };
  const entry = (content: WantedList["entries"][number]["content"]) => ({ place: "", content });
  return [
    { list: "data-providers", entries: types.map((type, n) => entry({ type, id: n + 1, ...provider })) },
    {
      list: "data-bundles",
      entries: Array.from({ length: size }, (_, n) => entry({ type: typeOf(n), code: `code${n}`, ...bundle })),
    },
  ];
}

/** Raises so many prices by a kobo. */
function dearer(bundles: number): Plan {
  return (base) => {
    const edits = [...inOrder(base, "data-bundles")].slice(0, bundles).map(({ key, content }) => ({
      subject: "data-bundles" as const,
      key,
      content: { ...content, price: Number(content.price) + 1 },
    }));
    return withEntries(base, edits);
  };
}

function revisionOf(headers: readonly string[]): number {
  return Number(headers[headers.indexOf("Duba-Catalogue-Revision") + 1]);
}
