import { standIns } from "../../../stand-ins/stand-ins.ts";
import { settings } from "../../config/settings.ts";
import { nairaOf } from "../../declare/money.ts";
import { vendors } from "../../vendors/registry.ts";
import { startStandIn } from "../../vendors/sandbox/start-stand-in.ts";
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
    const vendor = vendors.find((each) => each.name === name)!;
    const { url, close } = await startStandIn(vendor, { port: 0, prices: ofVendor });
    running.defer(close);
    for (const setting of Object.values(vendor.settings))
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
