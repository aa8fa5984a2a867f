import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FreshSettings } from "../test/support/engines.ts";
import { callers } from "./callers.ts";
import { milliseconds, quantile, table } from "./figures.ts";
import type { RawStore } from "./ledger-fill.ts";
import type { Probing } from "./look-up-probe.ts";
import { startService } from "./servers.ts";

const seconds = 2;
const verifying = 16;
/** Numbers of windows: those that warm the service up, those after the sweep, and the most in all. */
const [warming, following, most] = [5, 10, 150];

/** A stretch of traffic; `sweeps`: the sweep removed rows in this stretch. */
interface Window {
  sweeps: boolean;
  rate: number;
  verifications: number[];
  lookUps: number[];
}

/**
 * Measures verifications and look-ups before, during and after a sweep of rows past 24 months. This ledger has weeks of
 * such rows at once, where a service in production removes some each minute.
 */
export async function sweepBesideTraffic(raw: RawStore, settings: FreshSettings): Promise<void> {
  await using service = await startService({ settings, dispose: async () => {} }, { DUBA_LIMITS: "off" });
  const probe = new Worker(new URL("./look-up-probe.ts", import.meta.url));
  const kept = new Date().setUTCMonth(new Date().getUTCMonth() - 24);
  const [{ rows, oldest: first }] = (await raw.run(
    `select count(*) as rows, min(created_at) as oldest from verification where created_at < ${kept}`,
  )) as [{ rows: unknown; oldest: unknown }];
  console.log(`\nThe sweep of ${rows} rows beside ${verifying} callers with verifications, and look-ups at a low pace`);
  const windows: Window[] = [];
  let oldest = Number(first);
  let after = 0;
  while (after < following && windows.length < most) {
    probe.postMessage({ url: service.duba.url, seconds } satisfies Probing);
    let isOver = false;
    const lookingUp = once(probe, "message").finally(() => {
      isOver = true;
    });
    const verify = () => service.client.verify();
    const { rate, latencies: verifications } = await callers(verifying, () => !isOver, verify);
    const [lookUps] = (await lookingUp) as [number[]];
    const now = Number((await raw.run("select min(created_at) as oldest from verification"))[0]!.oldest);
    windows.push({ sweeps: now > oldest, rate, verifications, lookUps });
    oldest = now;
    if (oldest >= kept) after += 1;
  }
  await probe.terminate();
  const begin = windows.findIndex(({ sweeps }) => sweeps);
  const end = windows.findLastIndex(({ sweeps }) => sweeps) + 1;
  const heading = ["", "verifications/s", "p50", "p99", "look-ups p50", "p99"];
  const parts = [
    row("before", windows.slice(warming, begin)),
    row("during", windows.slice(begin, end)),
    row("after", windows.slice(end)),
  ];
  console.log(table([heading, ...parts]));
}

function row(name: string, windows: readonly Window[]): string[] {
  const at = (of: (window: Window) => number[], share: number) => milliseconds(quantile(windows.flatMap(of), share));
  const rate = windows.reduce((sum, window) => sum + window.rate, 0) / windows.length;
  const latencies = [({ verifications }: Window) => verifications, ({ lookUps }: Window) => lookUps];
  const quantiles = latencies.flatMap((of) => [at(of, 0.5), at(of, 0.99)]);
  return [`${name} (${windows.length * seconds} s)`, rate.toFixed(0), ...quantiles];
}
