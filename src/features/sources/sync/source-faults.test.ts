import assert from "node:assert/strict";
import { suite, test } from "node:test";
import baxiBouquetsFile from "../../../../stand-ins/baxi/samples/bouquets.json" with { type: "json" };
import ebillsVariationsFile from "../../../../stand-ins/ebills/samples/variations.json" with { type: "json" };
import { usualEngines } from "../../../../test/support/engines.ts";
import { publishingStore } from "../../../catalogue/catalogue.fixture.ts";
import { approve } from "../../../catalogue/revisions/decide.ts";
import { loadStarter } from "../../../catalogue/starter.ts";
import { silent } from "../../../runtime/log.ts";
import { type Behaviour, json, LocalVendor, type Received, text } from "../../../vendors/local-vendor.fixture.ts";
import type { VendorValues } from "../../../vendors/ports/vendor.ts";
import { VendorClient } from "../../../vendors/vendor-client.ts";
import { sourceStates } from "../source-health.ts";
import { baxi } from "../vendors/baxi/index.ts";
import { ebills } from "../vendors/ebills/index.ts";
import { beginSync, readSync } from "./record.ts";
import { syncFrom } from "./sync.ts";

const { sample: baxiBouquets } = baxiBouquetsFile;
const { sample: ebillsVariations } = ebillsVariationsFile;

type Row = Record<string, unknown>;
type Listed = { data: Row[] };

/** Each source with the list that a request names. */
const sources = [
  {
    source: ebills,
    values: (url: string): VendorValues => ({ url }),
    listFor: ({ path }: Received): Listed =>
      ebillsVariations[path.split("service_id=")[1] as keyof typeof ebillsVariations],
  },
  {
    source: baxi,
    values: (url: string): VendorValues => ({ url, key: "a-key" }),
    listFor({ path, body }: Received): Listed {
      const { service_type: service } = JSON.parse(body) as { service_type: "dstv" | "gotv" | "startimes" };
      if (path.endsWith("/list")) return baxiBouquets[service];
      return service === "dstv" ? baxiBouquets.addOns : baxiBouquets.none;
    },
  },
];

/** The faults, each with the response to a request for a list. */
const faults: Record<string, (listed: Listed) => Behaviour> = {
  "500": () => json(500, { message: "…" }),
  HTML: () => text(200, "text/html", "<p>Come again</p>"),
  "half of a body": (listed) => text(200, "application/json", JSON.stringify(listed).slice(0, -9)),
  "nothing in its lists": (listed) => json(200, { ...listed, data: [] }),
  "other types": (listed) =>
    json(200, {
      ...listed,
      data: listed.data.map((row) => Object.fromEntries(Object.keys(row).map((name) => [name, [row[name]]]))),
    }),
  "no answer": () => () => {},
  "another address": () => (response, received) => void response.writeHead(302, { Location: received.path }).end(),
  "5 MB": (listed) =>
    json(200, {
      ...listed,
      data: listed.data.slice(0, 1).flatMap((row) => Array.from({ length: 30_000 }, (_, at) => renamed(row, at))),
    }),
  "each entry twice, at two prices": (listed) =>
    json(200, { ...listed, data: listed.data.flatMap((row) => [row, dearer(row)]) }),
};

/** The entry under another code. */
function renamed(row: Row, at: number): Row {
  return {
    ...row,
    ...Object.fromEntries(["variation_id", "code"].filter((name) => name in row).map((name) => [name, `x${at}`])),
  };
}

function dearer(row: Row): Row {
  if (!("availablePricingOptions" in row)) return { ...row, price: row.price && "99999" };
  const options = row.availablePricingOptions as Row[];
  return { ...row, availablePricingOptions: options.map((option) => ({ ...option, price: 99_999 })) };
}

for (const engine of usualEngines)
  suite(`sources with faults on ${engine.name}`, () => {
    for (const { source, values, listFor } of sources)
      test(`a fault of ${source.name} is never served: the first bad pull is reported, and the state shows three of them`, async (t) => {
        const { db, publisher: publisherAt } = await publishingStore(t, engine);
        const vendor = await LocalVendor.start();
        const http = new VendorClient({ timeout: 300, connections: 1, keepAlive: true, log: silent });
        t.after(async () => {
          await http.close();
          await vendor.close();
        });
        const clock = { time: Date.UTC(2026, 0, 31, 9, 30) };
        const publisher = publisherAt({ now: () => clock.time, actor: "system" });
        await loadStarter(publisher);
        const { name, covers } = source;
        const followed = { name, covers, pull: await source.open(values(vendor.url), { http, log: silent }) };
        const every = 60_000;
        const wanted = { sources: [{ name, covers }], every, staleAfter: 24 * 3_600_000 };
        const pull = async (fault: (listed: Listed) => Behaviour = (listed) => json(200, listed)) => {
          clock.time += source.pace ?? every;
          vendor.behaviour = (response, received) => fault(listFor(received))(response, received);
          const begun = await beginSync(db, name, await readSync(db, name), clock.time);
          const signal = new AbortController().signal;
          const { record, sentences } = await syncFrom(publisher, followed, begun!, {
            author: "system",
            again: false,
            signal,
          });
          return { result: record.result!, draft: record.draft, sentences };
        };

        const first = await pull();
        if (first.draft !== null) await approve(publisher, first.draft, "ops");
        const { result: good, sentences: usual } = await pull();
        assert.equal(good, "unchanged");
        const { revision, groups } = await publisher.latest();
        for (const [what, fault] of Object.entries(faults)) {
          const { result, sentences } = await pull(fault);
          const isTold = !["published", "unchanged"].includes(result) || sentences.length > usual.length;
          assert.ok(isTold, `${what}: ${result}, ${sentences}`);
          assert.notEqual(result, "failed", what);
          const served = await publisher.latest();
          assert.deepEqual([served.revision, served.groups], [revision, groups], `${what}: ${result}`);
          // The reports of status, alarms and metrics after three pulls.
          for (const _ of [2, 3]) await pull(fault);
          const [state] = await sourceStates(db, clock.time, wanted);
          const { missed, held, remarks } = state!;
          assert.ok(missed >= 3 || held !== null || remarks > usual.length, `${what}: ${JSON.stringify(state)}`);
          assert.equal((await pull()).result, "unchanged", `after ${what}`);
        }
      });
  });
