import { standIns } from "../../../stand-ins/stand-ins.ts";
import { settings } from "../../config/settings.ts";
import { nairaOf } from "../../declare/money.ts";
import { vendors } from "../../vendors/registry.ts";
import { startStandIn } from "../../vendors/sandbox/start-stand-in.ts";
import { upstreamSettings } from "../../vendors/upstream-settings.ts";

/** Kobo that a check costs at each vendor, in the order of the vendors. */
const prices = {
  dojah: { bvn: 7_000, nin: 9_000 },
  prembly: { bvn: 6_000, nin: 8_000 },
  youverify: { bvn: 6_500, nin: 9_500 },
} as const;

type DemoVendor = keyof typeof prices;

const names = Object.keys(prices) as DemoVendor[];

/** Returns the settings of a service that uses the three vendors, each at its URL. */
export function vendorSettings(urlOf: (name: DemoVendor) => string): Record<string, string> {
  const own: Record<string, string> = {};
  for (const name of names) {
    for (const setting of Object.values(vendors.find((each) => each.name === name)!.settings))
      if (setting.name.endsWith("_URL")) own[setting.name] = urlOf(name);
      else if (setting.default === "" && !setting.optional) own[setting.name] = "demo";
    Object.assign(own, standIns[name]!.settings);
  }
  const bills = names.flatMap((name) =>
    Object.entries(prices[name]).map(([kind, kobo]) => `${name}.${kind}=${nairaOf(kobo)}`),
  );
  return { ...own, [settings.upstreams.name]: names.join(), [settings.vendorPrices.name]: bills.join() };
}

/** Starts the stand-ins of three vendors, and returns the settings by which a service uses these stand-ins. */
export async function startVendors(): Promise<AsyncDisposable & { settings: Record<string, string> }> {
  await using running = new AsyncDisposableStack();
  const urls = {} as Record<DemoVendor, string>;
  for (const name of names) {
    const vendor = vendors.find((each) => each.name === name)!;
    const { url, close } = await startStandIn(vendor, { port: 0, prices: prices[name] });
    running.defer(close);
    urls[name] = url;
  }
  const opened = running.move();
  return {
    settings: { ...vendorSettings((name) => urls[name]), [upstreamSettings.standIns.name]: "on" },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
