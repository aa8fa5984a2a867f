import { recorded } from "../src/access/access.fixture.ts";
import { createAccount } from "../src/access/accounts/accounts.ts";
import { insertKey } from "../src/access/keys/keys.ts";
import { newApiKey } from "../src/access/secrets.ts";
import { inTransaction } from "../src/storage/audited.ts";
import { openStore } from "../src/storage/store.ts";
import { engines, type FreshSettings } from "../test/support/engines.ts";
import { startChild } from "./child.ts";
import { serverCore } from "./cores.ts";
import { median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import type { Pace } from "./run.ts";
import { answersOf, startService } from "./servers.ts";

const count = 10_000;

/**
 * Measures look-ups with 10,000 keys in turn and with one key, on the service and on a bare server that ignores keys.
 * The loss of the bare server is the client's share, because its requests differ.
 */
export async function keys({ starts: rounds = 5, seconds = 2, warm = 4 }: Pace): Promise<void> {
  console.log(`
Look-ups of 4.1 with ${count} keys in turn, beside as many requests with one of them
  ${rounds} rounds of ${seconds} s in turn, medians; ${generator}
  The bare node:http server sends the same bytes and does not look at keys: what it loses is the client's part
`);
  const fresh = await engines[0]!.fresh();
  const many = await keysIn(fresh.settings);
  // A list of equal length, so that the client does equal work in both cases.
  const one = many.map(() => many[0]!);
  await using service = await startService(fresh, {}, serverCore);
  await using bare = await startChild("bare.ts", {}, await answersOf(service, [lookUpOfBundles]), serverCore);
  const measured = [service.duba, bare].flatMap((server) =>
    [one, many].map((keys) => ({ server, keys, rates: [] as number[], cpus: [] as number[] })),
  );
  for (const { server, keys } of measured)
    await load(server.url + lookUpOfBundles, Math.max(1, Math.round(warm / 2)), keys);
  for (let round = 0; round < rounds; round += 1)
    for (const { server, keys, rates, cpus } of measured) {
      const before = await server.cpu();
      const { responses, rate } = await load(server.url + lookUpOfBundles, seconds, keys);
      rates.push(rate);
      cpus.push(((await server.cpu()) - before) / responses);
    }
  const rows = ["Duba", "bare"].map((name, at) => {
    const [ofOne, ofMany] = measured
      .slice(2 * at)
      .map(({ rates, cpus }) => ({ rate: median(rates), cpu: median(cpus) }));
    const [rate, cpu] = [ofMany!.rate / ofOne!.rate, ofOne!.cpu / ofMany!.cpu];
    const words = [ofOne!.rate.toFixed(0), ofMany!.rate.toFixed(0), rate.toFixed(2)];
    return { rate, cpu, words: [name, ...words, ofOne!.cpu.toFixed(1), ofMany!.cpu.toFixed(1), cpu.toFixed(2)] };
  });
  const heading = ["", "1 key/s", `${count} keys/s`, "many/one", "1 key µs CPU", `${count} keys µs CPU`, "one/many"];
  console.log(table([heading, ...rows.map(({ words }) => words)]));
  const [duba, control] = rows;
  console.log(
    `\n  Duba's part: ${(duba!.rate / control!.rate).toFixed(2)} by rate, ${(duba!.cpu / control!.cpu).toFixed(2)} by CPU time. Aim: at least 0.95.`,
  );
}

/** The texts of new keys of one account, made in one transaction. */
async function keysIn(settings: FreshSettings): Promise<string[]> {
  const { db, close } = await openStore({ ...settings, serving: false });
  const { id } = await createAccount(recorded(db), { name: "Many keys", email: "many@example.com" });
  const texts = Array.from({ length: count }, () => newApiKey("test"));
  await inTransaction(db, async (trx) => {
    for (const { id: key, hash } of texts)
      await insertKey(recorded(trx), {
        id: key,
        account_id: id,
        mode: "test",
        label: "bench",
        scopes: '["catalogue:read"]',
        addresses: "[]",
        secret_hash: hash,
        bootstrap: 0,
        created_at: Date.now(),
        expires_at: null,
        revoked_at: null,
      });
  });
  await close();
  return texts.map(({ text }) => text);
}
