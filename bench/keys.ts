import { recorded } from "../src/access/access.fixture.ts";
import { createAccount } from "../src/access/accounts/accounts.ts";
import { insertKey } from "../src/access/keys/keys.ts";
import { newApiKey } from "../src/access/secrets.ts";
import { inTransaction } from "../src/storage/audited.ts";
import { openStore } from "../src/storage/store.ts";
import { engines, type FreshSettings } from "../test/support/engines.ts";
import { serverCore } from "./cores.ts";
import { median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import type { Pace } from "./run.ts";
import { startService } from "./servers.ts";

const count = 10_000;

/** Look-ups with 10,000 keys in turn beside look-ups with one. */
export async function keys({ starts: rounds = 5, seconds = 2, warm = 4 }: Pace): Promise<void> {
  console.log(`
Look-ups of 4.1 with ${count} keys in turn, beside look-ups with one
  ${rounds} rounds of ${seconds} s in turn, medians; ${generator}
`);
  const fresh = await engines[0]!.fresh();
  const many = await keysIn(fresh.settings);
  await using service = await startService(fresh, {}, serverCore);
  const url = service.duba.url + lookUpOfBundles;
  const crowds = [many.slice(0, 1), many];
  for (const some of crowds) await load(url, Math.max(1, Math.round(warm / 2)), some);
  const seen = crowds.map((): { rate: number; cpu: number }[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, some] of crowds.entries()) {
      const before = await service.duba.cpu();
      const { answers, rate } = await load(url, seconds, some);
      seen[at]!.push({ rate, cpu: ((await service.duba.cpu()) - before) / answers });
    }
  const [one, all] = seen.map((shown) => ({
    rate: median(shown.map(({ rate }) => rate)),
    cpu: median(shown.map(({ cpu }) => cpu)),
  }));
  const row = (name: string, { rate, cpu }: { rate: number; cpu: number }) => [name, rate.toFixed(0), cpu.toFixed(1)];
  console.log(table([["keys", "look-ups/s", "µs CPU"], row("1", one!), row(String(count), all!)]));
  console.log(`\n  ${count} keys/1 key: ${(all!.rate / one!.rate).toFixed(2)} by rate. Aim: at least 0.95.`);
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
