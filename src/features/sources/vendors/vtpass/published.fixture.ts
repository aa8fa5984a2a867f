import { RecordedLog } from "../../../../runtime/recorded-log.fixture.ts";
import { json, LocalVendor } from "../../../../vendors/local-vendor.fixture.ts";
import { VendorClient } from "../../../../vendors/vendor-client.ts";
import airtel from "./fixtures/published/airtel-data.json" with { type: "json" };
import dataServices from "./fixtures/published/data-services.json" with { type: "json" };
import dstv from "./fixtures/published/dstv.json" with { type: "json" };
import etisalat from "./fixtures/published/etisalat-data.json" with { type: "json" };
import glo from "./fixtures/published/glo-data.json" with { type: "json" };
import gotv from "./fixtures/published/gotv.json" with { type: "json" };
import mtn from "./fixtures/published/mtn-data.json" with { type: "json" };
import startimes from "./fixtures/published/startimes.json" with { type: "json" };
import tvServices from "./fixtures/tv-services.json" with { type: "json" };
import { vtpass } from "./index.ts";

/** VTpass's answers by path and query, as its documentation publishes them. */
export const published: Readonly<Record<string, object>> = {
  "/api/services?identifier=data": dataServices,
  "/api/services?identifier=tv-subscription": tvServices,
  ...Object.fromEntries(
    [airtel, dstv, etisalat, glo, gotv, mtn, startimes].map((page) => [
      `/api/service-variations?serviceID=${page.content.serviceID}`,
      page,
    ]),
  ),
};

/** The source `vtpass`, connected to a server with these responses. */
export async function openPublished(answers = published) {
  const log = new RecordedLog();
  const http = new VendorClient({ timeout: 5_000, connections: 1, keepAlive: true, log });
  const local = await LocalVendor.start();
  local.behaviour = (response, received) => json(200, answers[received.path] ?? {})(response, received);
  return {
    name: vtpass.name,
    covers: vtpass.covers,
    pull: await vtpass.open({ url: local.url, apiKey: "a", publicKey: "p" }, { http, log }),
    async close() {
      await http.close();
      await local.close();
    },
  };
}
