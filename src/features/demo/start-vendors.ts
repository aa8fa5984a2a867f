import { startIdentityStandIn } from "../../../stand-ins/identity-server.ts";
import { standIns } from "../../../stand-ins/stand-ins.ts";
import { inventedPerson } from "../../checks/invented-person.ts";
import { settings } from "../../config/settings.ts";
import { nairaOf } from "../../declare/money.ts";
import { standInHeader } from "../../vendors/ports/stand-in.ts";
import { vendors } from "../../vendors/registry.ts";
import { upstreamSettings } from "../../vendors/upstream-settings.ts";

/** In the order in which they are asked. Kobo of a check. */
const prices = {
  dojah: { bvn: 7_000, nin: 9_000 },
  prembly: { bvn: 6_000, nin: 8_000 },
  youverify: { bvn: 6_500, nin: 9_500 },
} as const;

/** Starts the stand-ins of three vendors, and says which settings point a service at them. */
export async function startVendors(): Promise<AsyncDisposable & { settings: Record<string, string> }> {
  await using running = new AsyncDisposableStack();
  const own: Record<string, string> = {};
  for (const [name, ofVendor] of Object.entries(prices)) {
    const { url, close } = await startIdentityStandIn(name, {
      port: 0,
      prices: ofVendor,
      header: standInHeader,
      person: inventedPerson,
    });
    running.defer(close);
    for (const setting of Object.values(vendors.find((vendor) => vendor.name === name)!.settings))
      if (setting.name.endsWith("_URL")) own[setting.name] = url;
      else if (setting.default === "" && !setting.optional) own[setting.name] = "demo";
    Object.assign(own, standIns[name]!.settings);
  }
  const bills = Object.entries(prices).flatMap(([name, ofVendor]) =>
    Object.entries(ofVendor).map(([kind, kobo]) => `${name}.${kind}=${nairaOf(kobo)}`),
  );
  const opened = running.move();
  return {
    settings: {
      ...own,
      [upstreamSettings.standIns.name]: "on",
      [settings.upstreams.name]: Object.keys(prices).join(),
      [settings.vendorPrices.name]: bills.join(),
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
