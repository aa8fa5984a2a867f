import { accessTrail } from "../declare/access-trail.ts";
import { openStore, type StoreSettings } from "../storage/store.ts";
import { append } from "./append.ts";
import { signer } from "./chain/seal.ts";
import { sealEntries } from "./seal-batch.ts";

/** A process for crash tests: appends and seals for ever, and prints the key of each event once it is committed. */

const writers = 4;

const [settings, sealKey, name] = process.argv.slice(2) as [string, string, string];
const { db } = await openStore(JSON.parse(settings) as StoreSettings);
const sign = signer(Buffer.from(sealKey, "base64"));
let next = 0;

async function write(): Promise<never> {
  for (;;) {
    const key = `${name}-${next++}`;
    await append(db, accessTrail.keyRevoked("system", { key }));
    process.stdout.write(`${key}\n`);
  }
}

async function sealOn(): Promise<never> {
  for (;;) await sealEntries(db, sign);
}

await Promise.all([sealOn(), ...Array.from({ length: writers }, write)]);
