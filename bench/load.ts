import autocannon from "autocannon";
import { benchKey } from "./settings.ts";

/** Operation 4.1 for one provider: the look-up that stands for all of them. */
export const lookUpOfBundles = "/api/v2/internet/data/lookup?provider=MTNDATA";

/** Asks for one URL over 64 connections, as fast as it is answered, with the keys in turn. Throws at any refusal. */
export async function load(
  url: string,
  seconds: number,
  keys: readonly string[] = [benchKey],
): Promise<{ answers: number; rate: number }> {
  const { pathname, search } = new URL(url);
  const result = await autocannon({
    url,
    connections: 64,
    duration: seconds,
    requests: keys.map((key) => ({ path: pathname + search, headers: { Authorization: `Bearer ${key}` } })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors under load`);
  return { answers: result.requests.total, rate: result.requests.total / result.duration };
}
